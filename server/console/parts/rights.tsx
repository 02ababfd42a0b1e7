import { type Operator, roleName } from '../context.js'

/** Returns a right in words. */
export const rightName = ({ workspace, role }: Operator['rights'][number]) =>
  `${roleName(role)} of ${workspace ?? 'the installation'}`

/** The roles of an operator. */
export const Rights = ({ of }: { of: Pick<Operator, 'rights'> }) => (
  <ul class="plain">
    {of.rights.map((right) => (
      <li key={right.workspace}>{rightName(right)}</li>
    ))}
  </ul>
)
