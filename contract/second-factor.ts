import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'
import { body, issuedText } from './fields.js'
import { AuthenticationResponseJSON } from './passkey-responses.js'
import { component, field } from './registry.js'
import { sixDigits } from './typed-text.js'
import { SignedInUser, signedInExample } from './users.js'

/** Returns the fields of a proof, of which a request has exactly one. */
export const proof = () => ({
  totp: field(
    'The code of an authenticator app (RFC 6238). Digits of any script are accepted. Spaces and hyphens are ignored. Null means none.',
    sixDigits().nullish(),
    { examples: ['240618'], maxLength: 64 },
  ),
  passkey: field('What the browser has returned for the options.', AuthenticationResponseJSON.optional()),
  recoveryCode: field(
    'A recovery code. It can be used once. Case, spaces and hyphens are ignored. Null means none.',
    issuedText().max(64, failsWith('too_long', 'must have at most 64 characters')).nullish(),
    { examples: ['k7qd-x2mp-9wvc-4hjn'], maxLength: 64 },
  ),
})

/** The proof of a second factor in a request that is sent again. */
export const SecondFactorProof = component(
  { id: 'SecondFactorProof', description: 'Exactly one proof of a second factor.' },
  z.object(proof(), mustBe('an object')),
)
export type SecondFactorProof = z.infer<typeof SecondFactorProof>

/** Returns the schema of the second step in a request that logs in without a password. */
export const secondFactor = () =>
  field('After `second_factor_required`: the proof of the second factor.', SecondFactorProof.optional())

/** Returns the schema of a confirmation in a request. */
export const confirmation = () =>
  field(
    '`confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none.',
    issuedText().nullish(),
    { maxLength: 16_384 },
  )

/** A proof that the user was there a moment ago. */
export const Confirmation = component(
  {
    id: 'Confirmation',
    description:
      'Confirms sensitive changes of the account. Send it only to this service, in the field `confirmation`.',
  },
  z.object({
    value: field('The confirmation.', z.string()),
    maxAge: field('Seconds for which it is valid, for several changes.', z.int(), {
      format: 'int32',
      examples: [600],
    }),
  }),
)
export type Confirmation = z.infer<typeof Confirmation>

export const confirmedExample = {
  ...signedInExample,
  confirmation: { value: 'eyJ1IjoiMDFhMSJ9.c2ln', maxAge: 600 },
}

/** Response of a second step: that of a login, with a confirmation. */
export const ConfirmedUser = component(
  {
    id: 'ConfirmedUser',
    description: 'The user who has logged in or stepped up, with a new access token and a confirmation.',
    examples: [confirmedExample],
  },
  SignedInUser.extend({ confirmation: Confirmation }),
)
export type ConfirmedUser = z.infer<typeof ConfirmedUser>

/** Body of a change that needs only a confirmation. */
export const ConfirmationBody = body(
  {
    id: 'ConfirmationBody',
    description: 'What confirms the change.',
    example: { confirmation: confirmedExample.confirmation.value },
  },
  { confirmation: confirmation() },
)
export type ConfirmationBody = z.infer<typeof ConfirmationBody>

/** Problems of an operation that logs in by other means than a password and takes the proof of the second factor itself. */
export const secondStepProblems = [
  'second_factor_required',
  'enrolment_required',
  'second_factor_invalid',
  'too_many_attempts',
] as const
