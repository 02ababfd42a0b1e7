import { useState } from 'preact/hooks'
import { call, type DataOf } from '../../api.js'
import { roleName } from '../../context.js'
import { roles } from '../../operations.js'
import { FormDialog } from '../../parts/dialog.js'
import { Field, type Values } from '../../parts/form.js'
import { useLoad } from '../../parts/load.js'
import { rightName } from '../../parts/rights.js'
import { Name } from '../../parts/text.js'

export type Operator = DataOf<'listOperators'>['operators'][number]

interface Props {
  of: Operator | undefined
  onClose(): void
  onSaved(link: string | null): void
}

const inWorkspace = 'workspace'
const inInstallation = 'installation'
const noRight = 'none'
const labels = {
  ...Object.fromEntries(roles.map((role) => [role, roleName(role)])),
  '': 'Choose a role',
  [noRight]: 'none: remove the right',
}

/** Adds an operator, or changes a right of one. */
export function RightDialog({ of, onClose, onSaved }: Props) {
  const rights = of?.rights ?? []
  const [chosen, setChosen] = useState(rights[0] ? '0' : inWorkspace)
  const right = rights[Number(chosen)]
  const places = {
    ...Object.fromEntries(rights.map((each, index) => [index, rightName(each)])),
    [inWorkspace]: 'a new right in a workspace',
    ...(rights.every(({ workspace }) => workspace !== null) && {
      [inInstallation]: 'a new right in the whole installation',
    }),
  }
  const save = ({ email = '', workspace: slug, role: given }: Values) => {
    const workspace = right ? right.workspace : (slug ?? null)
    const role = roles.find((each) => each === given) ?? null
    return of
      ? call('changeOperator', { operatorId: of.id, body: { workspace, role } })
      : call('addOperator', { body: { email, workspace, role: role ?? 'member' } })
  }
  return (
    <FormDialog
      title={of ? 'Change a right' : 'Add an operator'}
      onClose={onClose}
      submit="Save"
      send={async (values) => {
        const { data, error } = await save(values)
        if (error) return error
        onClose()
        onSaved('link' in data ? data.link : null)
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
        name="right"
        label="Right"
        options={Object.keys(places)}
        labels={places}
        value={chosen}
        onInput={setChosen}
      />
      {chosen === inWorkspace && <WorkspaceField />}
      <Field
        key={chosen}
        name="role"
        label="Role"
        value={right?.role}
        options={right ? [...roles, noRight] : ['', ...roles]}
        labels={labels}
        hint="A viewer reads, support helps users, an admin changes users and settings, an owner does everything."
      />
    </FormDialog>
  )
}

function WorkspaceField() {
  const [prefix, setPrefix] = useState('')
  const { data } = useLoad(() => call('listWorkspaces', { query: { prefix, limit: 20 } }), [prefix])
  return (
    <>
      <Field
        name="workspace"
        label="Workspace"
        hint="Its slug. The right counts only there."
        list="workspaces"
        onInput={setPrefix}
      />
      <datalist id="workspaces">
        {data?.workspaces.map(({ slug }) => (
          <option key={slug} value={slug} />
        ))}
      </datalist>
    </>
  )
}
