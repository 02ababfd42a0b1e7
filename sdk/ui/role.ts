import type { Features } from '../schemas.js'
import { type Line, line } from './view.js'

/** Returns the name of a role in the reader's language: that of the product for its own roles, or else made of the role itself. */
export const roleName = (role: string): Line =>
  role === 'owner' || role === 'admin' || role === 'member'
    ? line(role)
    : { key: `role_${role}`, otherwise: role.charAt(0).toUpperCase() + role.slice(1).replace(/[-_]/g, ' ') }

/** Returns the built-in role whose rights a role has. */
export const rightsOf = ({ roles }: Pick<Features, 'roles'>, role: string) =>
  roles.find(({ name }) => name === role)?.rights ?? 'member'
