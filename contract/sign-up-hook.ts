import { z } from 'zod'
import { isUnicode } from './fields.js'
import { productFields } from './management/fields.js'
import { component, field } from './registry.js'

/** How a person signs up. */
const signUpWays = ['password', 'mail', 'external', 'sso'] as const

/** What the hook of a database gets before a person signs up. A server posts it as JSON, signed as Standard Webhooks are. */
export const SignUpHookRequest = component(
  {
    id: 'SignUpHookRequest',
    description: 'A person who wants to sign up.',
    examples: [
      {
        type: 'sign_up.requested',
        timestamp: '2026-03-01T12:00:00.000Z',
        data: {
          databaseId: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a00',
          email: 'ada@example.com',
          way: 'password',
          connection: null,
          preferredName: 'Ada',
          locale: 'en',
          invitedTo: null,
          newTenant: null,
          isTest: false,
        },
      },
    ],
  },
  z.object({
    type: field('What is asked.', z.literal('sign_up.requested')),
    timestamp: field('When (RFC 3339, UTC).', z.iso.datetime()),
    data: z.object({
      databaseId: field('ID of the database.', z.uuid()),
      email: field('Address of the person. Only `mail`, `external` and `sso` have proven it.', z.string()),
      way: field('How the person signs up.', z.enum(signUpWays)),
      connection: field(
        'The connection to the provider that knows the person, or null.',
        z.string().nullable(),
      ),
      preferredName: field('Display name, or null.', z.string().nullable()),
      locale: field('Language of the person, or null.', z.string().nullable()),
      invitedTo: field(
        'ID of the tenant that the person joins, by an invitation or by single sign-on, or null.',
        z.uuid().nullable(),
      ),
      newTenant: field('Name of the tenant that the person creates, or null.', z.string().nullable()),
      isTest: field('Whether an operator tests the hook, and nobody signs up.', z.boolean()),
    }),
  }),
)
export type SignUpHookRequest = z.infer<typeof SignUpHookRequest>

/** The most characters of a reason. */
const maxReason = 200

/** What the hook answers with status 200. Everything else is a failure. */
export const SignUpHookAnswer = component(
  {
    id: 'SignUpHookAnswer',
    description: 'Whether a person may sign up.',
    examples: [{ allow: false, reason: 'Please use the address of your company.' }],
  },
  z.object({
    allow: field('Whether the person may sign up.', z.boolean()),
    reason: field(
      'If not: why, as text for the person, in the language of `locale`.',
      z.string().max(maxReason).refine(isUnicode).nullish(),
    ),
    privateMetadata: productFields().privateMetadata,
  }),
)
export type SignUpHookAnswer = z.infer<typeof SignUpHookAnswer>
