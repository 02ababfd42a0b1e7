import { z } from 'zod'
import { Factor, factorExample } from './factor.js'
import { body, instant, issuedText, name } from './fields.js'
import { currentPassword } from './me.js'
import { component, field } from './registry.js'
import { ConfirmedUser, confirmation, confirmedExample, proof } from './second-factor.js'

const challengeExample = 'eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'
const codesExample = ['k7qd-x2mp-9wvc-4hjn', 'b3ts-8ryf-e6na-5gzu']

/** Response of `listFactors`. */
export const FactorList = component(
  {
    id: 'FactorList',
    description: 'The second factors of the user.',
    examples: [
      {
        factors: [factorExample],
        recoveryCodes: 8,
        hasPassword: true,
        secondFactor: { on: true, dueAt: null },
      },
    ],
  },
  z.object({
    factors: field('The oldest first.', z.array(Factor)),
    recoveryCodes: field('Number of recovery codes that are left.', z.int(), {
      format: 'int32',
      examples: [8],
    }),
    hasPassword: field('Whether the user has a password, which sensitive changes need.', z.boolean()),
    secondFactor: field(
      'Whether logins need a second factor.',
      z.object({
        on: field('Whether logins of the user need a second factor now.', z.boolean()),
        dueAt: field(
          'When logins need a second factor even if the user has none (RFC 3339, UTC). Null: the app does not require one.',
          z.iso.datetime().nullable(),
        ),
      }),
    ),
  }),
)
export type FactorList = z.infer<typeof FactorList>

const challenge = (description: string) =>
  field(description, issuedText(), { examples: [challengeExample], maxLength: 16_384 })

/** Body of `verifySecondFactor`. */
export const VerifySecondFactorBody = body(
  {
    id: 'VerifySecondFactorBody',
    description: 'The challenge of the first step, and exactly one proof.',
    example: { challenge: challengeExample, totp: '240618' },
  },
  { challenge: challenge('`secondFactor.challenge` of the problem `second_factor_required`.'), ...proof() },
)
export type VerifySecondFactorBody = z.infer<typeof VerifySecondFactorBody>

/** Body of `stepUp`. */
export const StepUpBody = body(
  {
    id: 'StepUpBody',
    description:
      'Exactly one proof. A user without a second factor gives the password instead. A user with both may add the password, and the confirmation then takes its place. A user with neither has none, and logs in again.',
    example: { totp: '240618' },
  },
  { ...proof(), password: currentPassword() },
)
export type StepUpBody = z.infer<typeof StepUpBody>

/** Body of `enrolTotp`. */
export const EnrolTotpBody = body(
  {
    id: 'EnrolTotpBody',
    description: 'What confirms that the user wants the factor.',
    example: { password: 'correct horse battery' },
  },
  {
    challenge: challenge(
      '`secondFactor.challenge` of the problem `enrolment_required`. It takes the place of the token and the confirmation.',
    ).optional(),
    confirmation: confirmation(),
    password: currentPassword(),
  },
)
export type EnrolTotpBody = z.infer<typeof EnrolTotpBody>

/** Response of `enrolTotp`. */
export const EnrolledTotp = component(
  {
    id: 'EnrolledTotp',
    description: 'A new secret for an authenticator app. Nothing is stored before `addTotp`.',
    examples: [
      {
        challenge: challengeExample,
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Acme:ada%40example.com?issuer=Acme&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
        expiresAt: '2026-03-01T12:10:00.000Z',
      },
    ],
  },
  z.object({
    challenge: field('For `addTotp`.', z.string()),
    secret: field('The secret in base32, for typing.', z.string()),
    uri: field('The secret as a URI, for a QR code.', z.string()),
    expiresAt: instant('When the challenge expires'),
  }),
)
export type EnrolledTotp = z.infer<typeof EnrolledTotp>

/** Body of `addTotp`. */
export const AddTotpBody = body(
  {
    id: 'AddTotpBody',
    description: 'The challenge of `enrolTotp`, and the first code of the app.',
    example: { challenge: challengeExample, totp: '240618', name: factorExample.name },
  },
  {
    challenge: challenge('`challenge` of `enrolTotp`.'),
    totp: field('The first code of the app.', proof().totp.unwrap().unwrap(), {
      examples: ['240618'],
      maxLength: 64,
    }),
    name: field('Name of the factor, such as that of the device. Null means none.', name().nullish(), {
      examples: [factorExample.name],
    }),
  },
)
export type AddTotpBody = z.infer<typeof AddTotpBody>

/** Response of `addTotp`. */
export const AddedFactor = component(
  {
    id: 'AddedFactor',
    description: 'The factor, and the user with a new access token, because all earlier ones were revoked.',
    examples: [{ ...confirmedExample, factor: factorExample, recoveryCodes: codesExample }],
  },
  ConfirmedUser.extend({
    factor: Factor,
    recoveryCodes: field(
      'Eight codes that each log in once without the app. They are not shown again. Null: the user has codes.',
      z.array(z.string()).nullable(),
    ),
  }),
)
export type AddedFactor = z.infer<typeof AddedFactor>

/** Body of `renameFactor`. */
export const RenameFactorBody = body(
  { id: 'RenameFactorBody', description: 'The new name.', example: { name: factorExample.name } },
  {
    name: field('Name of the factor. Null removes it.', name().nullable(), {
      examples: [factorExample.name],
    }),
  },
)
export type RenameFactorBody = z.infer<typeof RenameFactorBody>

/** Body of `setSecondFactor`. */
export const SetSecondFactorBody = body(
  {
    id: 'SetSecondFactorBody',
    description: 'Whether logins need a second factor.',
    example: { on: true, confirmation: confirmedExample.confirmation.value },
  },
  {
    on: field(
      'Whether logins of the user need a second factor. Adding an authenticator app turns it on.',
      z.boolean(),
    ),
    confirmation: confirmation(),
  },
)
export type SetSecondFactorBody = z.infer<typeof SetSecondFactorBody>

/** Response of `createRecoveryCodes`. */
export const RecoveryCodes = component(
  { id: 'RecoveryCodes', description: 'New recovery codes.', examples: [{ codes: codesExample }] },
  z.object({ codes: field('Eight codes. They are not shown again.', z.array(z.string())) }),
)
export type RecoveryCodes = z.infer<typeof RecoveryCodes>
