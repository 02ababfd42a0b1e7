import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { Cancel, Dialog } from '../parts/dialog.js'
import { Find } from '../parts/find.js'
import { Check, Field, Form } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Pager, rangeOf, Table, usePages } from '../parts/table.js'
import { count, Empty, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'
import { findUsers } from './users/find-users.js'

/** The orders of users that have an index, in words. */
const orders = {
  email: 'by address',
  '-email': 'by address, the last one first',
  createdAt: 'the first sign-up first',
  '-createdAt': 'the latest sign-up first',
} as const
type Order = keyof typeof orders

const directionOf = (column: string, order: Order): 'ascending' | 'descending' | 'none' =>
  order === column ? 'ascending' : order === `-${column}` ? 'descending' : 'none'

/** Returns the number of all users. More than 5,000 were counted some hours ago. */
const totalOf = ({ users, countedAt, hasMore }: DataOf<'getStatistics'>) =>
  (hasMore ? 'more than ' : countedAt ? 'about ' : '') + count(users)

/** The last search of each database. In memory, because no address may be in a URL or in the history. */
const searches = new Map<string, string>()

/** The users of a database. */
export function Users() {
  const { at, may } = useConsole()
  const place = `${at.workspaceSlug}/${at.databaseName}`
  const [text, setText] = useState(searches.get(place) ?? '')
  const [order, setOrder] = useState<Order>('-createdAt')
  const [isAdding, setAdding] = useState(false)
  const pages = usePages()
  const { after } = pages
  const loading = useLoad(
    () => (text ? findUsers(at, text, after) : call('listUsers', { ...at, query: { order, after } })),
    [text, order, after],
    true,
  )
  const statistics = useLoad(() => call('getStatistics', { ...at, query: { days: 1 } }), [])
  const { data } = loading
  // What former texts have found is shown until then, but not counted.
  const shown = data &&
    !loading.isBusy && {
      one: 'user',
      rows: data.users.length,
      pages,
      next: data.next,
      total: text || !statistics.data ? undefined : totalOf(statistics.data),
      isSearch: text !== '',
    }

  function find(next: string) {
    searches.set(place, next)
    pages.first()
    setText(next)
  }
  /** What is found is ordered by what it was found by. */
  const sortBy = (column: 'email' | 'createdAt') =>
    text
      ? undefined
      : {
          direction: directionOf(column, order),
          toggle() {
            pages.first()
            setOrder(order === column ? `-${column}` : column)
          },
        }
  return (
    <>
      <div class="row spread top">
        <Heading title="Users" />
        {may('addUser') && (
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Add a user
          </button>
        )}
      </div>
      <div class="row">
        <Find
          label="Find users"
          hint="Start of the address or name, or the whole ID or external ID"
          value={text}
          maxLength={254}
          status={shown ? rangeOf(shown) : ''}
          find={find}
        />
      </div>
      <Loaded of={loading}>
        {({ users, next }) => (
          <>
            <Table
              caption={shown ? `${rangeOf(shown)}${text ? '' : `, ${orders[order]}`}` : 'Loading…'}
              rows={users}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Address',
                  sort: sortBy('email'),
                  cell: ({ id, email }) => (
                    <a href={pathTo(at.workspaceSlug, at.databaseName, 'users', id)}>
                      <bdi>{email}</bdi>
                    </a>
                  ),
                },
                { name: 'Name', cell: ({ preferredName }) => <Name of={preferredName} /> },
                { name: 'State', isKept: true, cell: ({ disabled }) => (disabled ? 'disabled' : 'active') },
                { name: 'Verified', cell: ({ emailVerified }) => (emailVerified ? 'yes' : 'no') },
                {
                  name: 'Signed up',
                  sort: sortBy('createdAt'),
                  cell: ({ createdAt }) => <Time at={createdAt} />,
                },
                { name: 'External ID', cell: ({ externalId }) => <Name of={externalId} /> },
              ]}
              empty={
                !shown ? (
                  <p class="soft">Loading…</p>
                ) : text ? (
                  <Empty>
                    No user is found. The middle of an address or a name is not searched, only its start.
                  </Empty>
                ) : (
                  <Empty command={may('addUser') ? `user create ${place} ada@example.com` : undefined}>
                    Nobody has signed up yet.{' '}
                    {may('addUser') && 'Add a user, or import users of another system.'}
                  </Empty>
                )
              }
            />
            <Pager pages={pages} next={shown ? next : null} rows={users.length} />
          </>
        )}
      </Loaded>
      {isAdding && <AddUser close={() => setAdding(false)} />}
    </>
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
