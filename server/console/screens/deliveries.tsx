import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { Danger } from '../parts/dialog.js'
import { Failure } from '../parts/failure.js'
import { Loaded, useLoad, useTask } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Pager, rangeOf, Table, usePages } from '../parts/table.js'
import { count, counted, Empty, Heading, shortTime, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

type Delivery = DataOf<'listDeliveries'>['deliveries'][number]

const nameOf = (kind: string, createdAt: string) => `the ${kind} of ${shortTime(createdAt)}`

/** Mails and events that were not delivered yet. */
export function Deliveries() {
  const { at, may } = useConsole()
  const [isWaiting, setWaiting] = useState(false)
  const pages = usePages()
  const { after } = pages
  const task = useTask()
  const query = { after, ...(isWaiting && { waiting: 'true' as const }) }
  const loading = useLoad(() => call('listDeliveries', { ...at, query }), [query])

  const { data } = loading
  // Those of other pages are not known.
  const mayWait = data && (data.next || !pages.isFirst || data.deliveries.some(({ nextAt }) => !nextAt))

  async function retry(id: string | null) {
    const done = await task.run(() => call('retryDeliveries', { ...at, body: { id } }))
    if (!done) return
    announce(`${counted(done.data.messages, 'message')} delivered again with all attempts.`)
    loading.reload()
  }
  const drop = (action: string, id: string | null, of?: string) => (
    <Danger
      action={action}
      {...(of && { of })}
      consequences={[
        id
          ? 'The message is never delivered.'
          : 'All messages that wait for an operator are never delivered.',
      ]}
      run={() => call('dropDeliveries', { ...at, body: { id } })}
      onDone={() => {
        announce('Deleted.')
        loading.reload()
      }}
    />
  )
  const actions = ({ id, kind, createdAt }: Delivery) => (
    <div class="row">
      <button
        type="button"
        aria-label={`Retry ${nameOf(kind, createdAt)}`}
        disabled={task.isBusy}
        onClick={() => retry(id)}
      >
        Retry
      </button>
      {may('dropDeliveries') && drop('Drop', id, nameOf(kind, createdAt))}
    </div>
  )
  return (
    <>
      <Heading title="Deliveries" />
      <div class="row spread">
        <label class="check">
          <input
            type="checkbox"
            checked={isWaiting}
            onChange={(event) => {
              pages.first()
              setWaiting(event.currentTarget.checked)
            }}
          />{' '}
          Only those that wait for an operator
        </label>
        <div class="row">
          {mayWait && may('retryDeliveries') && (
            <button type="button" disabled={task.isBusy} onClick={() => retry(null)}>
              Retry all that wait
            </button>
          )}
          {mayWait && may('dropDeliveries') && drop('Drop all that wait', null)}
        </div>
      </div>
      <Failure problem={task.problem} />
      <Loaded of={loading}>
        {({ deliveries, next }) => (
          <>
            <Table
              caption={`${rangeOf({ one: 'message', rows: deliveries.length, pages, next })}, the oldest first`}
              rows={deliveries}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { name: 'Kind', cell: ({ kind }) => kind },
                {
                  name: 'User',
                  cell: ({ userId }) =>
                    userId ? (
                      <a href={pathTo(at.workspaceSlug, at.databaseName, 'users', userId)}>user</a>
                    ) : (
                      '–'
                    ),
                },
                {
                  name: 'Next',
                  isKept: true,
                  cell: ({ nextAt }) => (nextAt ? <Time at={nextAt} /> : 'waits for an operator'),
                },
                { name: 'Attempts', cell: ({ attempts }) => count(attempts) },
                { name: 'Error', cell: ({ lastError }) => (lastError ? <bdi>{lastError}</bdi> : '–') },
                ...(may('retryDeliveries') ? [{ name: '', cell: actions }] : []),
              ]}
              empty={<Empty>Every mail and event was delivered. A failed one appears here.</Empty>}
            />
            <Pager pages={pages} next={next} rows={deliveries.length} />
          </>
        )}
      </Loaded>
    </>
  )
}
