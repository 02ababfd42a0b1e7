import { z } from 'zod'
import { setting, switched, wholeNumber } from './setting.js'

/** The roles of every database. An owner has all rights of an admin, and an admin all rights of a member. */
export const builtInRoles = ['owner', 'admin', 'member'] as const

const message =
  'must be up to 8 different names separated by commas, each of 1 to 32 characters a-z, 0-9, _ and -, and none of owner, admin and member'

/** The roles that a product adds. They have the rights of a member. */
const ownRoles = z
  .array(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, message), message)
  .max(8, message)
  .refine(
    (names) => new Set([...names, ...builtInRoles]).size === names.length + builtInRoles.length,
    message,
  )

/** What users may do with tenants. */
export const tenantSettings = {
  /** Whether users can create tenants and run those of which they are members. */
  tenantOperations: setting({
    ...switched('on', 'off'),
    default: true,
    description: 'whether users can create tenants, see their members and change them',
    label: 'tenant operations',
  }),
  /** Roles of members that the product adds to owner, admin and member. */
  roles: setting({
    schema: ownRoles,
    default: [],
    placeholder: '<names>',
    description: 'up to 8 roles that the product adds, such as "billing,viewer", or "none"',
    words: { none: [] },
    read: (text) => text.split(','),
    label: 'own roles',
    show: (roles) => roles.join(', ') || 'none',
  }),
  /** Whether only users with a verified address can invite. A database without app URL sends no mails, and requires none. */
  requireVerifiedInviter: setting({
    ...switched('required', 'not required'),
    default: true,
    description: 'whether users can invite only after they have verified their address',
    label: 'verified inviter',
  }),
  /** Seconds for which an invitation is valid. */
  invitationLifetime: setting({
    ...wholeNumber(3_600, 2_592_000),
    default: 604_800,
    placeholder: '<seconds>',
    description: 'time for which an invitation can be accepted, 3600 to 2592000',
    label: 'invitations',
    show: (seconds) => `valid for ${seconds} s`,
  }),
}
