import { z } from 'zod'
import { component, field } from './registry.js'

/** How a user proves a second factor. */
export const SecondFactorMethod = component(
  {
    id: 'SecondFactorMethod',
    description:
      '`totp`: a code of an authenticator app. `recoveryCode`: one of the codes that the user has stored.',
    isOpen: true,
  },
  z.enum(['totp', 'recoveryCode']),
)
export type SecondFactorMethod = z.infer<typeof SecondFactorMethod>

/** What a client needs for the second step of a login. A problem has it. */
export const SecondStep = component(
  { id: 'SecondStep', description: 'What the second step of a login needs.' },
  z.object({
    challenge: field(
      'For `verifySecondFactor`, or for `enrolTotp` if `code` is `enrolment_required`. Null: send the same request again with `secondFactor`.',
      z.string().nullable(),
    ),
    expiresIn: field('Seconds for which the challenge is valid, or null.', z.int().nullable(), {
      format: 'int32',
      examples: [300],
    }),
    methods: field(
      'What the user can prove. Empty if the user has no factor yet.',
      z.array(SecondFactorMethod),
    ),
  }),
)
export type SecondStep = z.infer<typeof SecondStep>
