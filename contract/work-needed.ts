import { z } from 'zod'
import { component, field } from './registry.js'

/** The work that a request needs. */
export const Work = component(
  {
    id: 'Work',
    description:
      'The work that a request needs. With `seed`, the base64url of SHA-256 of `challenge`, a line feed and `subject`: find a counter from 0 so that SHA-256 of `seed.counter` begins with `bits` zero bits. Send `challenge.counter` as `Usher-Proof`.',
  },
  z.object({
    kind: field('Always `work`.', z.literal('work')),
    challenge: field('A text that the server has signed. Valid for 5 minutes, once.', z.string()),
    bits: field('Number of zero bits.', z.int().min(1).max(32), { format: 'int32', examples: [16] }),
    subject: field(
      'What the proof is for: the operation, a space, and the address in lower case and Unicode NFC.',
      z.string(),
      { examples: ['createUser ada@example.com'] },
    ),
  }),
)
export type Work = z.infer<typeof Work>
