import type { Client } from '../../client.js'
import type { OpenSsoPortalErrorCode } from '../../endpoints.js'
import type { Result } from '../../result.js'
import type { OpenedSsoPortal } from '../../schemas.js'

type Opening = Promise<Result<OpenedSsoPortal, OpenSsoPortalErrorCode>>

const key = 'usher.sso-setup'

/** The link that was opened last in this page. A framework may draw the element twice, and a link opens once. */
const openings = new WeakMap<Client, Opening>()
/** The code of a link that has had no answer yet. */
const pending = new WeakMap<Client, string>()

/** Returns the portal of a code, or the one that this tab keeps. Undefined if there is none. */
export async function portalOf(client: Client, given: string) {
  const code = given || pending.get(client)
  if (code) openings.set(client, open(client, code))
  const opened = await openings.get(client)
  const kept = read()
  // The link of a portal that this tab has opened before is used up.
  if (kept && opened?.error?.code === 'code_invalid') return { data: kept, error: undefined }
  return opened ?? (kept && { data: kept, error: undefined })
}

async function open(client: Client, code: string): Opening {
  pending.set(client, code)
  const result = await client.openSsoPortal({ code })
  // Without storage, the portal is open until the page is left.
  if (result.data) attempt(() => sessionStorage.setItem(key, JSON.stringify(result.data)))
  if (result.data || result.error.code === 'code_invalid') pending.delete(client)
  return result
}

const read = () => attempt(() => JSON.parse(sessionStorage.getItem(key) ?? 'null') as OpenedSsoPortal | null)

/** Forgets a portal that has ended. */
export function forgetPortal(client: Client) {
  openings.delete(client)
  attempt(() => sessionStorage.removeItem(key))
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
