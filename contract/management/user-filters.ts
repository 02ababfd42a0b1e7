import { z } from 'zod'
import { Email } from '../email.js'
import { failsWith } from '../field-errors.js'
import { notBlank, notUuid, text } from '../fields.js'
import { afterText, page } from '../page.js'
import { field } from '../registry.js'
import { externalIdFilter, namePrefixFilter, notFlag, strict } from './fields.js'

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
/** How users can be ordered, apart from their ids. */
const orders = ['email', '-email', 'createdAt', '-createdAt'] as const
export type UserOrder = (typeof orders)[number]

const notOrder = failsWith('invalid_type', `must be ${orders.slice(0, -1).join(', ')} or ${orders.at(-1)}`)

const notIds = failsWith('invalid_type', 'must be 1 to 100 UUIDs, separated by commas')

/** Query of `listUsers`. */
export const ListUsersQuery = strict({
  ...page,
  after: afterText(),
  order: field(
    'By address, or by time of sign-up; with `-` the last one first. Only without a filter.',
    z.enum(orders, notOrder).optional(),
  ),
  email: field('Only the user with this address, in any spelling.', Email.optional()),
  emailPrefix: field(
    'Only the users whose address begins with this text, ignoring case. Ordered by address.',
    text().min(1, notBlank).max(254, failsWith('too_long', 'must have at most 254 characters')).optional(),
    { examples: ['ada@'] },
  ),
  namePrefix: namePrefixFilter(),
  ids: field(
    'Only the users with these ids: 1 to 100, separated by commas.',
    z
      .string(notIds)
      .regex(new RegExp(`^${uuid}(?:,${uuid}){0,99}$`, 'i'), notIds)
      .transform((ids) => ids.split(','))
      .optional(),
    { maxLength: 3_699 },
  ),
  externalId: externalIdFilter(),
  tenant: field('Only the users of this tenant.', z.uuid(notUuid).optional()),
  disabled: field(
    'Only the users who are disabled, or only those who are not.',
    z
      .enum(['true', 'false'], notFlag)
      .transform((text) => text === 'true')
      .optional(),
    { type: 'boolean' },
  ),
  secondFactor: field(
    'Only the users who have a second factor, or only those who have none.',
    z
      .enum(['true', 'false'], notFlag)
      .transform((text) => text === 'true')
      .optional(),
    { type: 'boolean' },
  ),
})
export type ListUsersQuery = z.infer<typeof ListUsersQuery>
