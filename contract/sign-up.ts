import type { z } from 'zod'
import { NewEmail } from './email.js'
import { body, codeExample, idempotencyHeaders, issuedText, NewPassword, name } from './fields.js'
import { exampleProfile, givenProfile } from './profile.js'
import { field } from './registry.js'

/** Returns the profile of a user who signs up. */
export const signUpProfile = () =>
  givenProfile('Null means none.', {
    locale: 'Null means none: each mail follows the request that causes it.',
  })

/** Body of `POST …/users` (docs/specification.md, section 2). */
export const CreateUserBody = body(
  {
    id: 'CreateUserBody',
    description: 'The user to sign up.',
    example: {
      email: 'ada@example.com',
      password: 'correct horse battery',
      ...exampleProfile,
      newTenant: 'Analytical Engines',
    },
  },
  {
    email: NewEmail,
    password: NewPassword,
    ...signUpProfile(),
    newTenant: field(
      'Name of a tenant to create for the user in the same request. Null means none.',
      name().nullish(),
      { examples: ['Analytical Engines'] },
    ),
    invitationCode: field(
      'The code of an invitation to `email`, from the mail. The user joins the tenant, and the address counts as verified. Null means none.',
      issuedText().nullish(),
      { examples: [codeExample], maxLength: 16384 },
    ),
  },
)
export type CreateUserBody = z.infer<typeof CreateUserBody>

/** Headers of `POST …/users`. */
export const IdempotencyHeaders = idempotencyHeaders(
  'A unique value, such as a UUID, that the client generates for each sign-up. A retry within 24 hours with the same email, tenant and password returns the same user with a new token.',
)
export type IdempotencyHeaders = z.infer<typeof IdempotencyHeaders>
