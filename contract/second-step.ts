import { z } from 'zod'
import { PublicKeyCredentialRequestOptionsJSON, requestOptionsExample } from './passkey-options.js'
import { component, field } from './registry.js'

/** How a user proves a second factor. */
export const SecondFactorMethod = component(
  {
    id: 'SecondFactorMethod',
    description:
      '`totp`: a code of an authenticator app. `passkey`: a passkey or a security key. `recoveryCode`: one of the codes that the user has stored.',
    isOpen: true,
  },
  z.enum(['totp', 'passkey', 'recoveryCode']),
)
export type SecondFactorMethod = z.infer<typeof SecondFactorMethod>

/** Response of `beginStepUp`. */
export const BegunStepUp = component(
  {
    id: 'BegunStepUp',
    description: 'What the user can prove.',
    examples: [{ methods: ['passkey', 'recoveryCode'], options: requestOptionsExample }],
  },
  z.object({
    methods: field('What the user can prove. Empty: the password.', z.array(SecondFactorMethod)),
    options: field(
      'What the browser needs for a passkey. Absent if the user has none.',
      PublicKeyCredentialRequestOptionsJSON.optional(),
    ),
  }),
)
export type BegunStepUp = z.infer<typeof BegunStepUp>

/** What a client needs for the second step of a login. A problem has it. */
export const SecondStep = component(
  { id: 'SecondStep', description: 'What the second step of a login needs.' },
  z.object({
    challenge: field(
      'For `verifySecondFactor`, or for `enrolTotp` and `enrolPasskey` if `code` is `enrolment_required`. Null: send the same request again with `secondFactor`.',
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
    options: field(
      'What the browser needs for a passkey. Absent if the user has none.',
      PublicKeyCredentialRequestOptionsJSON.optional(),
    ),
  }),
)
export type SecondStep = z.infer<typeof SecondStep>
