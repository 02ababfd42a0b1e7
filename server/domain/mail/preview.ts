import { lifetimeMilliseconds } from '../codes/code.js'
import type { MailFields } from './render.js'
import { hasLink, type MailName } from './templates.js'

const dayMilliseconds = 24 * 3_600_000

/** Returns made-up values of a mail, of all placeholders that the mail has. */
export function previewFields(
  name: MailName,
  { appUrl, now }: { appUrl: string | null; now: number },
): MailFields {
  const later = new Date(now + 7 * dayMilliseconds)
  const lifetime = lifetimeMilliseconds[name as keyof typeof lifetimeMilliseconds]
  return {
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    ...(hasLink(name) && { link: `${appUrl}/preview#code=PREVIEW` }),
    ...(name === 'login_code' && { digits: '123456' }),
    validFor: lifetime ?? lifetimeMilliseconds.password_reset,
    until: later,
    tenant: 'Analytical Engines',
    inviter: 'Grace Hopper',
    provider: 'Google',
    domain: 'example.com',
    expires: later,
    time: new Date(now),
  }
}
