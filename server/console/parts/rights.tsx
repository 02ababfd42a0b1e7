import { type Operator, roleName } from '../context.js'

/** The roles of an operator. */
export const Rights = ({ of }: { of: Pick<Operator, 'rights'> }) => (
  <ul class="plain">
    {of.rights.map(({ workspace, role }) => (
      <li key={workspace}>
        {roleName(role)} of {workspace ?? 'the installation'}
      </li>
    ))}
  </ul>
)
