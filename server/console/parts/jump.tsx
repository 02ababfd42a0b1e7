import { useLayoutEffect, useState } from 'preact/hooks'
import { call } from '../api.js'
import { type Console, may, useConsole } from '../context.js'
import { go } from '../navigation.js'
import { pathOf, pathTo, type Section, sections } from '../places.js'
import { Cancel, Dialog } from './dialog.js'
import { useLoad } from './load.js'

interface Target {
  path: string
  name: string
}

/** The button and the key Ctrl+K (or Cmd+K) that open the jump dialog. */
export function Jump() {
  const [isOpen, setOpen] = useState(false)
  // Before the page is shown, so that no key is missed.
  useLayoutEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} aria-keyshortcuts="Control+K">
        Jump <kbd>Ctrl+K</kbd>
      </button>
      {isOpen && (
        <Dialog title="Jump to a screen or a database" onClose={() => setOpen(false)}>
          {(close) => <Targets close={close} />}
        </Dialog>
      )}
    </>
  )
}

function Targets({ close }: { close(): void }) {
  const console = useConsole()
  const [text, setText] = useState('')
  const found = useLoad(async () => ({ data: await databasesOf(text, console), etag: undefined }), [text])
  const screens = screensOf(console).filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const targets = [...(found.data ?? []), ...screens].slice(0, 12)

  function leave(path: string) {
    close()
    go(path)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (targets[0]) leave(targets[0].path)
      }}
    >
      <div class="field">
        <label for="jump">Start of a workspace, of a database as in acme/app, or a screen</label>
        <input
          id="jump"
          type="search"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <p role="status" class="unseen">
        {targets.length > 0
          ? `${targets.length} shown. Enter opens the first one.`
          : found.data && 'Nothing found.'}
      </p>
      <ul class="plain targets">
        {targets.map(({ path, name }) => (
          <li key={path}>
            <a
              href={path}
              onClick={(event) => {
                event.preventDefault()
                leave(path)
              }}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      <Cancel close={close} text="Close" />
    </form>
  )
}

function screensOf({ operator, place: { workspaceSlug, databaseName } }: Console): Target[] {
  const ofDatabase = (Object.keys(sections) as Section[]).map((section) => ({
    name: `${sections[section]} of ${databaseName}`,
    path: pathTo(workspaceSlug, databaseName, ...(section === 'overview' ? [] : [section])),
  }))
  return [
    ...(databaseName ? ofDatabase : []),
    { name: 'Workspaces', path: pathTo() },
    { name: 'My account', path: pathOf('account') },
    ...(may(operator, 'listOperators', '')
      ? [
          { name: 'Operators', path: pathOf('operators') },
          { name: 'Recorded actions', path: pathOf('actions') },
        ]
      : []),
  ]
}

/** Returns the workspaces and databases whose names begin with a text. `acme/ap` finds databases of a workspace. */
async function databasesOf(text: string, { place }: Console): Promise<Target[]> {
  const [slug = '', database] = text.trim().split('/')
  const ofWorkspace = async (workspaceSlug: string, prefix: string) => {
    const { data } = await call('listDatabases', { workspaceSlug, query: { prefix, limit: 5 } })
    return (data?.databases ?? []).map(({ name }) => ({
      name: `${workspaceSlug}/${name}`,
      path: pathTo(workspaceSlug, name),
    }))
  }
  if (database !== undefined) {
    const { data } = await call('listWorkspaces', { query: { prefix: slug, limit: 1 } })
    return data?.workspaces[0]?.slug === slug ? ofWorkspace(slug, database) : []
  }
  const [{ data }, here] = await Promise.all([
    call('listWorkspaces', { query: { prefix: slug, limit: 5 } }),
    place.workspaceSlug ? ofWorkspace(place.workspaceSlug, slug) : [],
  ])
  const workspaces = (data?.workspaces ?? []).map((each) => ({ name: each.slug, path: pathTo(each.slug) }))
  return [...here, ...workspaces]
}
