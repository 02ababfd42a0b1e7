import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Pager, Table, usePages } from '../parts/table.js'
import { Empty, Heading, Name, Time } from '../parts/text.js'

/** What operators have done. */
export function Actions() {
  const [operatorId, setOperatorId] = useState('')
  const pages = usePages()
  const { after } = pages
  const { may } = useConsole()
  const query = { after, operatorId: operatorId || undefined }
  const loading = useLoad(() => call('listActions', { query }), [query])
  return (
    <>
      <Heading title="Recorded actions" />
      {may('listOperators') && (
        <OperatorFilter
          choose={(id) => {
            pages.first()
            setOperatorId(id)
          }}
        />
      )}
      <Loaded of={loading}>
        {({ actions, next }) => (
          <>
            <Table
              caption="Actions of the last 400 days, the latest first"
              rows={actions}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Time', cell: ({ at }) => <Time at={at} /> },
                { name: 'Operator', cell: ({ operatorEmail }) => <Name of={operatorEmail} /> },
                { name: 'Action', isKept: true, cell: ({ action }) => <code>{action}</code> },
                {
                  name: 'Database',
                  cell: ({ workspace, database }) => [workspace, database].filter(Boolean).join('/') || '–',
                },
                { name: 'Target', cell: ({ target }) => <Name of={target} /> },
                { name: 'Outcome', cell: ({ outcome }) => outcome ?? 'unknown' },
                { name: 'Request ID', cell: ({ requestId }) => <code>{requestId}</code> },
              ]}
              empty={<Empty>No operator has changed anything.</Empty>}
            />
            <Pager pages={pages} next={next} />
          </>
        )}
      </Loaded>
    </>
  )
}

function OperatorFilter({ choose }: { choose(id: string): void }) {
  const { data } = useLoad(() => call('listOperators', {}), [])
  return (
    <div class="field">
      <label for="operator">Operator</label>
      <select id="operator" onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">all</option>
        {data?.operators.map(({ id, email }) => (
          <option key={id} value={id}>
            {email}
          </option>
        ))}
      </select>
    </div>
  )
}
