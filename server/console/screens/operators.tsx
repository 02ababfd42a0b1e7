import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { roles } from '../operations.js'
import { Cancel, Danger, Dialog } from '../parts/dialog.js'
import { Field, Form } from '../parts/form.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Rights } from '../parts/rights.js'
import { Secret } from '../parts/secret.js'
import { announce } from '../parts/status.js'
import { Table } from '../parts/table.js'
import { Heading, Name, Time } from '../parts/text.js'

type Operator = DataOf<'listOperators'>['operators'][number]
const noRight = 'none'

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
      {link && <Secret title="Link for the new operator" value={link} onClose={() => setLink(undefined)} />}
    </>
  )
}

interface RightProps {
  of: Operator | undefined
  onClose(): void
  onSaved(link: string | null): void
}

/** Adds an operator, or changes a right of one. */
function RightDialog({ of, onClose, onSaved }: RightProps) {
  return (
    <Dialog title={of ? 'Change a right' : 'Add an operator'} onClose={onClose}>
      {(close) => (
        <Form
          submit="Save"
          more={<Cancel close={close} />}
          send={async ({ email = '', workspace: slug, role: chosen }) => {
            const workspace = slug || null
            const role = roles.find((each) => each === chosen)
            const result = of
              ? await call('changeOperator', { operatorId: of.id, body: { workspace, role: role ?? null } })
              : await call('addOperator', { body: { email, workspace, role: role ?? 'member' } })
            if (result.error) return result.error
            close()
            onSaved('link' in result.data ? result.data.link : null)
            return undefined
          }}
        >
          {of ? (
            <p>
              <Name of={of.email} />
            </p>
          ) : (
            <Field name="email" label="Address" type="email" />
          )}
          <Field
            name="workspace"
            label="Workspace"
            isOptional
            hint="Its slug. Empty: the right counts in the whole installation."
          />
          <Field
            name="role"
            label="Role"
            options={of ? [...roles, noRight] : roles}
            hint="member views, support helps users, admin changes users and settings, owner does everything."
          />
        </Form>
      )}
    </Dialog>
  )
}
