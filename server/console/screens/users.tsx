import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { Cancel, Dialog } from '../parts/dialog.js'
import { Check, Field, Form } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Pager, Table, usePages } from '../parts/table.js'
import { Empty, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

const ways = { emailPrefix: 'start of address', ids: 'ID', externalId: 'external ID' } as const
type Way = keyof typeof ways

interface Search {
  way: Way
  text: string
}

/** The last search of each database. In memory, because no address may be in a URL or in the history. */
const searches = new Map<string, Search>()

/** The users of a database. */
export function Users() {
  const { at, may } = useConsole()
  const place = `${at.workspaceSlug}/${at.databaseName}`
  const [search, setSearch] = useState<Search>(searches.get(place) ?? { way: 'emailPrefix', text: '' })
  const [isAdding, setAdding] = useState(false)
  const pages = usePages()
  const { after } = pages
  const { way, text } = search
  const query = { ...(text && { [way]: text }), after }
  const loading = useLoad(() => call('listUsers', { ...at, query }), [query])

  function find(next: Search) {
    searches.set(place, next)
    pages.first()
    setSearch(next)
  }
  return (
    <>
      <Heading title="Users" />
      <div class="row spread">
        <Find search={search} find={find} />
        {may('addUser') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Add a user
          </button>
        )}
      </div>
      <Loaded of={loading}>
        {({ users, next }) => (
          <>
            <Table
              caption={text ? 'Users found' : 'Users, by ID'}
              rows={users}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Address',
                  cell: ({ id, email }) => (
                    <a href={pathTo(at.workspaceSlug, at.databaseName, 'users', id)}>
                      <bdi>{email}</bdi>
                    </a>
                  ),
                },
                { name: 'Name', cell: ({ preferredName }) => <Name of={preferredName} /> },
                { name: 'State', isKept: true, cell: ({ disabled }) => (disabled ? 'disabled' : 'active') },
                { name: 'Verified', cell: ({ emailVerified }) => (emailVerified ? 'yes' : 'no') },
                { name: 'Signed up', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { name: 'External ID', cell: ({ externalId }) => <Name of={externalId} /> },
              ]}
              empty={
                text ? (
                  <Empty>
                    No user has this {ways[way]}. Parts from the middle of an address are not found.
                  </Empty>
                ) : (
                  <Empty command={`user create ${place} ada@example.com`}>
                    Nobody has signed up yet. Add a user, or import users of another system.
                  </Empty>
                )
              }
            />
            <Pager pages={pages} next={next} />
          </>
        )}
      </Loaded>
      {isAdding && <AddUser close={() => setAdding(false)} />}
    </>
  )
}

function Find({ search, find }: { search: Search; find(search: Search): void }) {
  return (
    <search>
      <Form
        submit="Find"
        label="Find users"
        send={async ({ way = '', text = '' }) => {
          find({ way: way as Way, text: text.trim() })
          return undefined
        }}
      >
        <fieldset class="row">
          <legend>Find by</legend>
          {(Object.keys(ways) as Way[]).map((way) => (
            <label key={way} class="check">
              <input type="radio" name="way" value={way} defaultChecked={way === search.way} /> {ways[way]}
            </label>
          ))}
        </fieldset>
        <Field name="text" label="Text" type="search" value={search.text} isOptional maxLength={255} />
      </Form>
    </search>
  )
}

function AddUser({ close }: { close(): void }) {
  const { at } = useConsole()
  const loading = useLoad(() => call('getSettings', at), [])
  const hasAppUrl = loading.data?.settings.some(({ name, value }) => name === 'appUrl' && value)
  return (
    <Dialog title="Add a user" onClose={close}>
      {(cancel) => (
        <Loaded of={loading}>
          {() => (
            <Form
              submit="Add"
              more={<Cancel close={cancel} />}
              send={async ({ email = '', preferredName, externalId, sendMail }) => {
                const body = {
                  email,
                  ...(preferredName && { preferredName }),
                  ...(externalId && { externalId }),
                  ...(sendMail && { sendMail: true }),
                }
                const { data, error } = await call('addUser', { ...at, body })
                if (!data) return error
                announce('The user is added.')
                go(pathTo(at.workspaceSlug, at.databaseName, 'users', data.id))
                return undefined
              }}
            >
              <p>The user has no password, and chooses one with the code of a mail.</p>
              <Field name="email" label="Address" type="email" />
              <Field name="preferredName" label="Name" isOptional />
              <Field name="externalId" label="External ID" isOptional hint="The ID in your product." />
              <Check
                name="sendMail"
                label="Mail a code to choose a password"
                isChecked={hasAppUrl}
                isDisabled={!hasAppUrl}
              />
              {!hasAppUrl && (
                <p>
                  A mail needs a link to your app. Set the app URL in the{' '}
                  <a href={pathTo(at.workspaceSlug, at.databaseName, 'settings')}>settings</a> first.
                </p>
              )}
            </Form>
          )}
        </Loaded>
      )}
    </Dialog>
  )
}
