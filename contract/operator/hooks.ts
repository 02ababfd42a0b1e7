import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { DatabasePath, operatorDatabasePath, operatorWriteProblems } from './fields.js'

/** What a sign-up hook has answered to a test. */
export const TestedHook = component(
  {
    id: 'TestedHook',
    description: 'What a sign-up hook has answered to a test, or why its answer does not count.',
    examples: [{ allow: true, reason: null, error: null, milliseconds: 83 }],
  },
  z.object({
    allow: field(
      'Whether the person may sign up. Null: it has not answered as it should.',
      z.boolean().nullable(),
    ),
    reason: field('The reason of a refusal, or null.', z.string().nullable()),
    error: field('What is wrong with the answer, or null.', z.string().nullable()),
    milliseconds: field('Time until the answer.', z.int(), { format: 'int32' }),
  }),
)
export type TestedHook = z.infer<typeof TestedHook>

export const hooks = initContract().router({
  testSignUpHook: {
    method: 'POST',
    path: `${operatorDatabasePath}/sign-up-hook/test`,
    pathParams: DatabasePath,
    body: initContract().noBody(),
    responses: { 200: TestedHook, ...failures('hook_missing', ...operatorWriteProblems) },
    summary: 'Test the sign-up hook of a database',
    description:
      'Asks the hook about `test@example.com` with `isTest`, also while it is paused. Nobody signs up.',
    metadata: { who: { operator: 'admin', in: 'workspace' }, records: { words: 'tested the sign-up hook' } },
  },
} satisfies DescribedRoutes)
