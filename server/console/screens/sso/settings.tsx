import { useState } from 'preact/hooks'
import { call, type Task } from '../../api.js'
import { useConsole } from '../../context.js'
import { Edit, type EditedField } from '../../parts/edit.js'
import { announce } from '../../parts/status.js'
import { duration, Fact, Heading3, Name } from '../../parts/text.js'
import type { PartProps } from './single-sign-on.js'

const fields: readonly EditedField[] = [
  {
    name: 'required',
    label: 'Required',
    kind: 'switch',
    hint: 'On: members log in with it. Log in with a connection within 10 minutes before.',
  },
  {
    name: 'exempt',
    label: 'Exempt owners',
    kind: 'list',
    hint: 'IDs of one or two owners with a second factor, separated by commas.',
  },
  {
    name: 'maxAge',
    label: 'Maximum age',
    kind: 'number',
    hint: 'Seconds for which a login counts, 3600 to 2592000.',
  },
  { name: 'acr', label: 'Level', kind: 'text', hint: 'aal2: with a second factor. Empty: any.' },
  {
    name: 'trustAmr',
    label: 'Trust second factors',
    kind: 'switch',
    hint: 'Those at the provider count for the level.',
  },
  { name: 'jit', label: 'First logins join', kind: 'switch', hint: 'A first login creates a member.' },
  {
    name: 'defaultRole',
    label: 'Role of such a member',
    kind: 'text',
    hint: 'admin, member, or a role of the database.',
  },
]

const onOff = (isOn: boolean) => (isOn ? 'on' : 'off')

/** The settings of the single sign-on of a tenant. */
export function Settings({ tenantId, sso, reload }: PartProps) {
  const { at, may } = useConsole()
  const [isEditing, setEditing] = useState(false)
  // So that another attempt needs no second confirmation.
  const [task, setTask] = useState<Task>({})
  const of = { ...at, tenantId }
  return (
    <>
      <Heading3 title="Rules">
        {may('changeSso') && (
          <button
            type="button"
            onClick={() => {
              setTask({})
              setEditing(true)
            }}
          >
            Change the rules
          </button>
        )}
      </Heading3>
      <dl>
        <Fact name="Required">{onOff(sso.required)}</Fact>
        <Fact name="Exempt owners">
          <Name of={sso.exempt.join(', ')} />
        </Fact>
        <Fact name="A login counts for">{duration(sso.maxAge)}</Fact>
        <Fact name="Level">{sso.acr ?? 'any'}</Fact>
        <Fact name="Trust second factors">{onOff(sso.trustAmr)}</Fact>
        <Fact name="First logins join">{sso.jit ? <>as {sso.defaultRole}</> : 'off'}</Fact>
      </dl>
      {isEditing && (
        <Edit
          title="Change the rules"
          fields={fields}
          current={sso}
          etag={undefined}
          save={(body) => call('changeSso', { ...of, body, task })}
          read={() => call('getSso', of)}
          onSaved={() => {
            announce('The rules are changed.')
            reload()
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  )
}
