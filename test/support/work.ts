import { createHash } from 'node:crypto'
import type { Work } from '@usher/contract'

const hashOf = (text: string) => createHash('sha256').update(text)

/** Returns a counter with which the work has a number of zero bits that fits. */
export function counterOf(
  { challenge, subject }: Pick<Work, 'challenge' | 'subject'>,
  fits: (zeros: number) => boolean,
) {
  const seed = hashOf(`${challenge}\n${subject}`).digest('base64url')
  for (let counter = 0; ; counter++)
    if (fits(Math.clz32(hashOf(`${seed}.${counter}`).digest().readUInt32BE()))) return counter
}

/** Does the work of a problem. Returns the proof. */
export const solve = (work: Pick<Work, 'challenge' | 'subject' | 'bits'>) =>
  `${work.challenge}.${counterOf(work, (zeros) => zeros >= work.bits)}`
