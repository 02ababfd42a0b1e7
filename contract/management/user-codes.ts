import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { failsWith, mustBe } from '../field-errors.js'
import { instant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { body, IdempotencyHeaders, NoQuery, postProblems, UserPath, userPath } from './fields.js'

const c = initContract()

const oneOf = (values: string) => ({
  error: (issue: z.core.$ZodRawIssue) =>
    (issue.input === undefined ? mustBe('a string') : failsWith('invalid_type', `must be ${values}`)).error(
      issue,
    ),
})

/** Body of `createUserCode`. */
export const CreateCodeBody = body(
  {
    id: 'CreateCodeBody',
    description: 'The purpose of the code, and how it is delivered.',
    example: { purpose: 'password_reset', deliver: 'mail' },
  },
  {
    purpose: field(
      '`password_reset` to choose a new password, `email_verification` to verify the address.',
      z.enum(['password_reset', 'email_verification'], oneOf('`password_reset` or `email_verification`')),
    ),
    deliver: field(
      '`mail` sends the code to the user. `return` returns it, for apps that send their own mails.',
      z.enum(['mail', 'return'], oneOf('`mail` or `return`')),
    ),
  },
)

/** Response of `createUserCode`. */
export const UserCode = component(
  { id: 'UserCode', description: 'A code. It replaces earlier codes with the same purpose.' },
  z.object({
    code: field('The code, or null if it was sent by mail.', z.string().nullable()),
    expiresAt: instant('When it expires'),
  }),
)

export const userCodes = c.router({
  createUserCode: {
    method: 'POST',
    path: `${userPath}/codes`,
    pathParams: UserPath,
    query: NoQuery,
    headers: IdempotencyHeaders,
    body: CreateCodeBody,
    responses: {
      201: UserCode,
      ...failures(
        'user_not_found',
        'user_disabled',
        'already_verified',
        'account_operations_off',
        'app_url_missing',
        ...postProblems,
      ),
    },
    summary: 'Create a code for a user',
    description:
      'Creates a code to choose a new password or to verify the address. Also needs `credentials:write` to return it.',
    metadata: {
      who: { key: 'users:write', operator: 'support', in: 'workspace' },
      records: { words: 'mailed a link' },
      fields: [{ name: 'deliver', is: 'return', scope: 'credentials:write', operator: 'never' }],
    },
  },
} satisfies DescribedRoutes)
