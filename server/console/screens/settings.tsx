import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { useUnsaved } from '../navigation.js'
import { Failure } from '../parts/failure.js'
import { Loaded, type Loading, useLoad } from '../parts/load.js'
import { Secret } from '../parts/secret.js'
import { announce } from '../parts/status.js'
import { counted, Heading } from '../parts/text.js'
import { textOf, valueFrom } from '../parts/versions.js'
import { invalid, type Problem } from '../problems.js'
import { grouped, inForm, isFound, nameOf, originOf, type Setting } from './settings/groups.js'
import { Review } from './settings/review.js'
import { SettingField } from './settings/setting-field.js'

type Settings = DataOf<'getSettings'>

/** The settings of a database. */
export function SettingsScreen() {
  const { at } = useConsole()
  const loading = useLoad(() => call('getSettings', at), [])
  const [secrets, setSecrets] = useState<readonly NewSecret[]>([])
  const [secret] = secrets
  return (
    <>
      <Heading title="Settings" />
      <Loaded of={loading}>
        {(data) => <Groups key={loading.etag} data={data} loading={loading} showSecrets={setSecrets} />}
      </Loaded>
      {secret && <Secret key={secret.title} {...secret} onClose={() => setSecrets(secrets.slice(1))} />}
    </>
  )
}

interface NewSecret {
  title: string
  value: string
}

interface Props {
  data: Settings
  loading: Loading<Settings>
  /** Shows secrets that nothing shows again, one after the other. */
  showSecrets(secrets: readonly NewSecret[]): void
}

/** Returns what a change has created and nothing shows again. */
const newSecrets = (saved: DataOf<'changeSettings'> | undefined) =>
  [
    { title: 'The webhook secret', value: saved?.webhookSecret },
    { title: 'The secret of the sign-up hook', value: saved?.signUpHookSecret },
  ].filter((each): each is NewSecret => Boolean(each.value))

function Groups({ data, loading, showSecrets }: Props) {
  const { may } = useConsole()
  /** What the operator has typed, by name. */
  const [edits, setEdits] = useState<Readonly<Record<string, string>>>({})
  const [changes, setChanges] = useState<Record<string, unknown>>()
  const [problem, setProblem] = useState<Problem>()
  const [search, setSearch] = useState<Search>(everything)
  const isReadonly = !may('changeSettings')
  const edited = data.settings.filter(({ name, value }) => (edits[name] ?? textOf(value)) !== textOf(value))
  useUnsaved(edited.length > 0)

  function discard() {
    setEdits({})
    setProblem(undefined)
  }
  function review() {
    const next: Record<string, unknown> = {}
    for (const setting of edited) {
      const { name, kind } = setting
      try {
        next[name] = valueFrom(edits[name] ?? '', kind)
      } catch {
        return setProblem(invalid(nameOf(setting), 'is not valid JSON'))
      }
    }
    setProblem(undefined)
    setChanges(next)
  }
  /** Shows errors with the labels of their fields. */
  function refuse({ errors, ...refused }: Problem) {
    setProblem({
      ...refused,
      errors: errors.map(({ path, detail }) => {
        const setting = data.settings.find(({ name }) => path === `settings.${name}`)
        return { path: setting ? nameOf(setting) : path, detail: inForm(detail) }
      }),
    })
  }
  // One that was edited stays, so that a search hides nothing that a review saves.
  const found = data.settings.filter((setting) => edited.includes(setting) || isShown(setting, search))
  return (
    <>
      <Find search={search} found={found.length} find={setSearch} />
      {grouped(found).map(({ title, guide, settings }) => (
        <section key={title} class="settings card">
          <div class="row spread">
            <h2>{title}</h2>
            <small>
              Guide: <code>{guide}</code>
            </small>
          </div>
          {settings.map((setting) => (
            <SettingField
              key={setting.name}
              setting={setting}
              text={edits[setting.name] ?? textOf(setting.value)}
              isEdited={edited.includes(setting)}
              isReadonly={isReadonly}
              error={problem?.errors.find(({ path }) => path === nameOf(setting))?.detail}
              change={(text) => setEdits((former) => ({ ...former, [setting.name]: text }))}
            />
          ))}
        </section>
      ))}
      <Failure problem={problem} />
      {edited.length > 0 && (
        <div class="row sticky">
          <button type="button" class="main" onClick={review}>
            Review {edited.length === 1 ? 'one change' : `${edited.length} changes`}
          </button>
          <button type="button" onClick={discard}>
            Discard
          </button>
        </div>
      )}
      {changes && (
        <Review
          settings={data}
          etag={loading.etag}
          changes={changes}
          onClose={() => setChanges(undefined)}
          onRefused={refuse}
          onSaved={(saved) => {
            setEdits({})
            showSecrets(newSecrets(saved))
            if (saved) announce('The settings are saved. Servers apply them within 5 seconds.')
            loading.reload()
          }}
        />
      )}
    </>
  )
}

interface Search {
  text: string
  /** Whether to show only settings that differ from their default. */
  isChanged: boolean
}
const everything: Search = { text: '', isChanged: false }

const isShown = (setting: Setting, { text, isChanged }: Search) =>
  isFound(setting, text) && (!isChanged || originOf(setting, textOf(setting.value)) === 'changed')

function Find({ search, found, find }: { search: Search; found: number; find(search: Search): void }) {
  const { text, isChanged } = search
  return (
    <search class="row find">
      <div class="field">
        <label for="find-setting">Find a setting</label>
        <input
          id="find-setting"
          type="search"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => find({ text: event.currentTarget.value, isChanged })}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={isChanged}
          onChange={(event) => find({ text, isChanged: event.currentTarget.checked })}
        />{' '}
        Only changed ones
      </label>
      <p role="status" class="soft">
        {found === 0 ? 'No setting is found.' : counted(found, 'setting')}
      </p>
    </search>
  )
}
