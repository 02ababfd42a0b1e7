import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath } from './database-path.js'
import { accountProblems, failures } from './failures.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { Work } from './work-needed.js'

const c = initContract()

/** Headers of operations that a bot check may protect. */
export const ProofHeaders = z.object({
  'usher-proof': field(
    'A proof of work: `challenge.counter`. Needed after `proof_required` only, and accepted once.',
    z.string().optional(),
  ),
})
export type ProofHeaders = z.infer<typeof ProofHeaders>

/** Response of `getWork`. */
export const WorkChallenge = component(
  {
    id: 'WorkChallenge',
    description: 'A challenge for one proof of work.',
    examples: [
      {
        challenge: 'eyJleHBpcmVzQXQiOjE3NzIzNjY3MDAwMDB9.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs',
        bits: 15,
      },
    ],
  },
  Work.pick({ challenge: true, bits: true }),
)
export type WorkChallenge = z.infer<typeof WorkChallenge>

export const work = c.router({
  getWork: {
    method: 'GET',
    path: `${databasePath}/work`,
    pathParams: DatabasePath,
    responses: { 200: WorkChallenge, ...failures(...accountProblems) },
    summary: 'Get a challenge for a proof of work',
    description:
      'For clients that do the work before they know whether it is needed. The problem `proof_required` has a challenge, too. A challenge is valid for 5 minutes, for one request. Nothing is stored.',
    metadata: { who: 'anyone', on: 'botCheck' },
  },
} satisfies DescribedRoutes)
