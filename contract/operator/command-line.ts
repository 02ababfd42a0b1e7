import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { code, name } from '../fields.js'
import { challenge, verifier, verifierExample } from '../logins.js'
import { body } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { Confirmation } from '../second-factor.js'
import { Session } from '../sessions.js'
import { ConfirmationHeaders, operatorWriteProblems } from './fields.js'

const c = initContract()

const codeExample = 'eyJpZCI6Ii4uLiJ9.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'

export const CreateCommandLineCodeBody = body(
  {
    id: 'CreateCommandLineCodeBody',
    description: 'What an operator allows a command line to do.',
    example: {
      purpose: 'login',
      challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      name: 'ada@laptop',
    },
  },
  {
    purpose: field(
      '`login`: the command line gets a session of the operator. `confirmation`: its session gets a confirmation.',
      z.enum(['login', 'confirmation']),
    ),
    challenge: challenge(),
    name: field('Name of the command line in the list of sessions.', name(), { examples: ['ada@laptop'] }),
  },
)
export type CreateCommandLineCodeBody = z.infer<typeof CreateCommandLineCodeBody>

export const CommandLineCode = component(
  { id: 'CommandLineCode', description: 'A code that only the command line can use that has the verifier.' },
  z.object({
    code: field('The code.', z.string(), { examples: [codeExample] }),
    expiresIn: field('Seconds for which it is valid.', z.int(), { format: 'int32', examples: [120] }),
  }),
)
export type CommandLineCode = z.infer<typeof CommandLineCode>

export const UseCommandLineCodeBody = body(
  {
    id: 'UseCommandLineCodeBody',
    description: 'A code, and the verifier of its challenge.',
    example: { code: codeExample, verifier: verifierExample },
  },
  { code: code('The code of `createCommandLineCode`.'), verifier: verifier() },
)
export type UseCommandLineCodeBody = z.infer<typeof UseCommandLineCodeBody>

export const commandLine = c.router({
  createCommandLineCode: {
    method: 'POST',
    path: '/operator/command-line/codes',
    headers: ConfirmationHeaders,
    body: CreateCommandLineCodeBody,
    responses: { 201: CommandLineCode, ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Allow a command line to act for the operator',
    description: 'The code is valid for 120 seconds, and only with the verifier of the command line.',
    metadata: {
      who: { operator: 'member', in: 'anywhere' },
      confirms: 'always',
      records: { words: 'authorized a command line' },
      isOwn: true,
    },
  },
  createCommandLineConfirmation: {
    method: 'POST',
    path: '/operator/command-line/confirmations',
    body: UseCommandLineCodeBody,
    responses: { 201: Confirmation, ...failures('code_invalid', ...operatorWriteProblems) },
    summary: 'Get the confirmation that the operator has given in the browser',
    description:
      'It is that of a code for a `confirmation`, and counts in the session of the token. It ends when that of the browser does.',
    metadata: {
      who: { operator: 'member', in: 'anywhere' },
      records: { words: 'confirmed a command' },
      isOwn: true,
    },
  },
} satisfies DescribedRoutes)

/** Needs no token: the code and the verifier prove who asks. */
export const openCommandLineSession = {
  method: 'POST',
  path: '/operator/command-line/sessions',
  body: UseCommandLineCodeBody,
  responses: {
    201: Session,
    ...failures(
      'code_invalid',
      'session_not_opened',
      'validation_failed',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'route_not_found',
      'unavailable',
    ),
  },
  summary: 'Log a command line in',
  description:
    'Opens a session of the operator who has created the code for a `login`. A code opens one session.',
  metadata: { who: 'anyone' },
} as const
