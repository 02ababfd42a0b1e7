import { z } from 'zod'
import { setting, switched, wholeNumber } from './setting.js'

/** The roles that every database has. An owner may do all that an admin may, and an admin all that a member may. */
export const builtInRoles = ['owner', 'admin', 'member'] as const

const message =
  'must be up to 8 names of 1 to 32 characters a-z, 0-9, _ and -, separated by commas, each once, and none of owner, admin and member'

/** The roles that a product adds. They may do what a member may. */
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
    isOfCreate: true,
    label: 'tenant operations',
  }),
  /** Roles of members that the product adds to owner, admin and member. */
  roles: setting({
    schema: ownRoles,
    default: [],
    placeholder: '<names>',
    description: 'up to 8 roles of the product for members, such as "billing,viewer", or "none"',
    words: { none: [] },
    read: (text) => text.split(','),
    isOfCreate: true,
    label: 'own roles',
    show: (roles) => roles.join(', ') || 'none',
  }),
  /** Seconds for which an invitation is valid. */
  invitationLifetime: setting({
    ...wholeNumber(3_600, 2_592_000),
    default: 604_800,
    placeholder: '<seconds>',
    description: 'an invitation can be accepted for this time, 3600 to 2592000',
    isOfCreate: true,
    label: 'invitations',
    show: (seconds) => `valid for ${seconds} s`,
  }),
}
