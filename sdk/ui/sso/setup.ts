import { type Client, endpoints } from '../../client.js'
import type { Endpoint } from '../../endpoint.js'
import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { Result } from '../../result.js'
import type { Features, Sso } from '../../schemas.js'
import type { Account, Sectioned } from '../account/section.js'
import { outcomeOf } from '../actions.js'
import type { SsoTextKey } from '../texts/en.js'
import { line, type Outcome, type Screen } from '../view.js'

/** What the sections of the set-up share. */
export interface Setup extends Sectioned, Pick<Account, 'dialog'> {
  readonly tenantId: string
  readonly tenantName: string
  readonly features: Pick<Features, 'roles'>
  readonly mayRequire: boolean
  /** Returns the owners of the tenant. Absent in the browser of a portal, which may not read them. */
  owners?(): Promise<{ owners: Owner[]; error?: UsherError<string> }>
  /** The single sign-on, as it was read last. */
  sso: Sso
  /** The ID of the connection to add, which stays while the page is open: its callback URL can be registered already. */
  newId?: string | undefined
  /** The language in which it is shown. */
  language(): string
}

/** An owner of the tenant. */
export interface Owner {
  id: string
  name: string
}

/** Draws a section of the set-up. */
export type SetupSection = (setup: Setup) => Screen

/** Returns the operations of a client with the token of a portal. */
export function withToken(client: Client, token: string): Operations {
  const operations = Object.entries<Endpoint>(endpoints).map(([name, { path, hasBody, hasQuery }]) => {
    const operation = client[name as keyof Operations] as (...given: unknown[]) => unknown
    const place = path.split('{').length - 1 + Number(hasBody === true) + Number(hasQuery === true)
    return [name, (...given: unknown[]) => operation(...given.slice(0, place), { token })]
  })
  return Object.fromEntries(operations)
}

/** What these codes mean here. */
const texts: Partial<Record<string, SsoTextKey>> = {
  connection_invalid: 'ssoConnectionInvalid',
  issuer_shared: 'ssoIssuerShared',
  domain_unproven: 'ssoDomainUnproven',
  domain_taken: 'ssoDomainTaken',
  sso_untested: 'ssoUntested',
  no_exempt_owner: 'ssoNoExempt',
}

/** Returns the outcome of a result, with what the provider or DNS has said. */
export async function answerOf<Data>(
  running: Promise<Result<Data, string>>,
  next: (data: Data) => Outcome,
): Promise<Outcome | undefined> {
  const outcome = await outcomeOf(running, next)
  const { code = '', detail = '' } = outcome?.error ?? {}
  const key = texts[code]
  return key ? { fieldErrors: { '': line(key, { detail }) } } : outcome
}

/** Copies a text that is shown, too. */
export const copied = (text: string) =>
  navigator.clipboard.writeText(text).then(
    () => ({ status: line('copied'), isSame: true }),
    () => undefined,
  )
