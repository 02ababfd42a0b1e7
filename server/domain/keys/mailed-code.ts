import { validate as isUuid } from 'uuid'
import type { Purpose, Secrets } from './database-secrets.js'

// A code in a mail is `id.mac`, bound to the address to which it is sent. Nothing in the store can be used as a code.

/** What the MAC of a code authenticates. */
interface CodeContent {
  purpose: Purpose
  id: string
  canonicalEmail: string
}

/** Returns a code. */
export const codeText = ({ sign }: Pick<Secrets, 'sign'>, { purpose, id, canonicalEmail }: CodeContent) =>
  `${id}.${sign(purpose, id, canonicalEmail)}`

/** Returns the id in a code and its MAC, or undefined if it is not a code. */
export function partsOfCode(code: string) {
  const [, id = '', mac = ''] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(code) ?? []
  return isUuid(id) ? { id, mac } : undefined
}
