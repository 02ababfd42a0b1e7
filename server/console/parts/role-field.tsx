import { Field } from './form.js'

/** The role of a user in a tenant. */
export const RoleField = ({ value = 'member' }: { value?: string | undefined }) => (
  <Field name="role" label="Role" value={value} hint="owner, admin, member, or a role of the database." />
)
