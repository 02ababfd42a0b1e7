import { z } from 'zod'
import { instant } from './fields.js'
import { component, field } from './registry.js'

export const idExample = '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03'
export const labelExample = 'Ada’s phone'

const SessionInfo = component(
  { id: 'SessionInfo', description: 'A session that has not ended.' },
  z.object({
    id: field('ID of the session: the `sid` claim of its tokens.', z.uuid()),
    createdAt: instant('Time of the login'),
    refreshedAt: instant('Time of the last refresh'),
    label: field('The label given to `openSession`. Null if there was none.', z.string().nullable(), {
      examples: [labelExample],
    }),
    current: field(
      'Whether the token of this request belongs to the session, or is the one that opened it.',
      z.boolean(),
    ),
  }),
)

/** Response of `listSessions`. */
export const SessionList = component(
  {
    id: 'SessionList',
    description: 'The sessions of the user that have not ended.',
    examples: [
      {
        sessions: [
          {
            id: idExample,
            createdAt: '2026-03-01T12:00:00.000Z',
            refreshedAt: '2026-03-01T13:00:00.000Z',
            label: labelExample,
            current: true,
          },
        ],
      },
    ],
  },
  z.object({
    sessions: field(
      'At most 100: the current one first, then the most recently refreshed.',
      z.array(SessionInfo),
    ),
  }),
)
export type SessionList = z.infer<typeof SessionList>
