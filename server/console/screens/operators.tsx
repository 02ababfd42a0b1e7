import { useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { Danger } from '../parts/dialog.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Rights } from '../parts/rights.js'
import { Secret } from '../parts/secret.js'
import { announce } from '../parts/status.js'
import { Table } from '../parts/table.js'
import { Heading, Name, Time } from '../parts/text.js'
import { type Operator, RightDialog } from './operators/right-dialog.js'

/** Operators and their rights. */
export function Operators() {
  const { operator: current, may } = useConsole()
  const [link, setLink] = useState<string>()
  const [dialog, setDialog] = useState<'add' | Operator>()
  const loading = useLoad(() => call('listOperators', {}), [])
  const actions = (operator: Operator) => (
    <div class="row">
      <button
        type="button"
        aria-label={`Change the rights of ${operator.email}`}
        onClick={() => setDialog(operator)}
      >
        Rights
      </button>
      {operator.id !== current.id && (
        <Danger
          action="Remove"
          of={operator.email}
          typed={operator.email}
          consequences={['The operator is logged out and deleted. Recorded actions stay.']}
          run={() => call('removeOperator', { operatorId: operator.id })}
          onDone={() => {
            announce('The operator is removed.')
            loading.reload()
          }}
        />
      )}
    </div>
  )
  return (
    <>
      <Heading title="Operators" />
      {may('addOperator') && (
        <div class="row">
          <button type="button" class="main" onClick={() => setDialog('add')}>
            Add an operator
          </button>
        </div>
      )}
      <Loaded of={loading}>
        {({ operators }) => (
          <Table
            caption="Operators, the oldest first"
            rows={operators}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Address', cell: ({ email }) => <Name of={email} /> },
              {
                name: 'Rights',
                isKept: true,
                cell: (operator) => <Rights of={operator} />,
              },
              { name: 'Added', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
              { name: '', cell: actions },
            ]}
            empty={null}
          />
        )}
      </Loaded>
      {dialog && (
        <RightDialog
          of={dialog === 'add' ? undefined : dialog}
          onClose={() => setDialog(undefined)}
          onSaved={(given) => {
            announce('The right is saved.')
            if (given) setLink(given)
            loading.reload()
          }}
        />
      )}
      {link && (
        <Secret
          title="Link for the new operator"
          value={link}
          more="The link is valid for an hour. If it is lost, run on the host: npx @usher/server operator reset EMAIL"
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  )
}
