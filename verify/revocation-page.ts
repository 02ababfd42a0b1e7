/** A revocation of the feed. `expiresAt` is in milliseconds since the epoch. */
export type Revocation = { expiresAt: number } & (
  | { type: 'tokens-revoked'; userId: string; generation: number }
  | { type: 'session-revoked'; sessionId: string }
  | { type: 'token-claims-change'; userId: string; version: number; tenantId: string; role: string | null }
  | { type: 'tenant-deleted'; tenantId: string }
  | { type: 'key-retired'; kid: string }
)

export interface RevocationPage {
  revocations: Revocation[]
  /** Types that this version does not know. */
  unknownTypes: string[]
  next: string
  moreAvailable: boolean
}

/** What is wrong with a page. */
const malformed = (what: string) => new Error(`The feed of revocations returned an invalid ${what}`)

/**
 * Reads a page of the feed. Ignores fields that it does not know.
 *
 * @throws if the page is malformed, so that none of it is used
 */
export function readPage(body: Record<string, unknown>): RevocationPage {
  const { revocations, next, moreAvailable } = body
  if (!Array.isArray(revocations)) throw malformed('list')
  if (typeof next !== 'string' || next === '') throw malformed('cursor')
  if (typeof moreAvailable !== 'boolean') throw malformed('page')
  const page: RevocationPage = { revocations: [], unknownTypes: [], next, moreAvailable }
  for (const each of revocations) {
    const item = Object(each) as Record<string, unknown>
    if (typeof item.type !== 'string') throw malformed('type')
    if (isKnown(item.type)) page.revocations.push(readers[item.type](item))
    else page.unknownTypes.push(item.type)
  }
  return page
}

type Item = Record<string, unknown>

const readers: { [Type in Revocation['type']]: (item: Item) => Revocation } = {
  'tokens-revoked': (item) => ({
    type: 'tokens-revoked',
    expiresAt: instant(item),
    userId: uuid(item, 'userId'),
    generation: integer(item, 'generation'),
  }),
  'session-revoked': (item) => ({
    type: 'session-revoked',
    expiresAt: instant(item),
    sessionId: uuid(item, 'sessionId'),
  }),
  'token-claims-change': (item) => ({
    type: 'token-claims-change',
    expiresAt: instant(item),
    userId: uuid(item, 'userId'),
    version: integer(item, 'version'),
    tenantId: uuid(item, 'tenantId'),
    role: item.role === null ? null : text(item, 'role'),
  }),
  'tenant-deleted': (item) => ({
    type: 'tenant-deleted',
    expiresAt: instant(item),
    tenantId: uuid(item, 'tenantId'),
  }),
  'key-retired': (item) => ({ type: 'key-retired', expiresAt: instant(item), kid: text(item, 'kid') }),
}

const isKnown = (type: string): type is Revocation['type'] => Object.hasOwn(readers, type)

function text(item: Item, name: string) {
  const value = item[name]
  if (typeof value !== 'string' || value === '') throw malformed(name)
  return value
}

function uuid(item: Item, name: string) {
  const value = text(item, name)
  if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) throw malformed(name)
  return value
}

function integer(item: Item, name: string) {
  const value = item[name]
  if (!Number.isSafeInteger(value)) throw malformed(name)
  return value as number
}

function instant(item: Item) {
  const value = Date.parse(text(item, 'expiresAt'))
  // With one far in the future, this clock alone would decide when the others expire.
  if (!(value > 0 && value < 2 ** 32 * 1000)) throw malformed('expiresAt')
  return value
}
