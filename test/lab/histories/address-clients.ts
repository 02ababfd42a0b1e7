import { codeIn } from '../../support/smtp.js'
import type { AddressCode, ChosenChange, Outcome } from './address-requests.js'
import type { Random } from './random.js'

/** An account as its clients know it. */
interface KnownAccount {
  id: string
  /** The last one that a client knows. */
  email: string
  passwords: string[]
  tokens: { jwt: string; id: string }[]
}

/** What the clients of a round share. */
export interface Clients {
  accounts: KnownAccount[]
  codes: AddressCode[]
  /** Those that no client has used. */
  newCodes: Set<AddressCode>
  /** Canonical addresses that users want. */
  wanted: string[]
  /** Accounts by the spelling of the address that they have requested. */
  requested: Map<string, string>
  spellings: number
  arrivals: Map<string, number>
}

/** Returns an address with capitals that no other one has. */
export function spelled(clients: Clients, address: string) {
  const number = ++clients.spellings
  return [...address].map((letter, bit) => ((number >> bit) & 1 ? letter.toUpperCase() : letter)).join('')
}

const pages: Record<string, AddressCode['name']> = {
  'change-email': 'confirm',
  'undo-email-change': 'undo',
  'reset-password': 'reset',
}

/** Keeps the code of a mail. */
export function receive(
  { codes, newCodes, requested, arrivals }: Clients,
  { id, to, text }: { id: string; to: string; text: string },
) {
  const name = pages[text.match(/\/([a-z-]+)#code=/)?.[1] ?? '']
  if (!name || arrivals.has(id)) return
  arrivals.set(id, performance.now())
  const code = { name, value: codeIn({ parsed: { text } }), user: requested.get(to) ?? '', email: to }
  codes.push(code)
  newCodes.add(code)
}

/** Chooses a code: mostly a new one, and more often than not that of a change. */
function chooseCode({ codes, newCodes }: Clients, random: Random) {
  const isReset = random.chance(0.2)
  const fresh = [...newCodes].filter(({ name }) => (name === 'reset') === isReset)
  const code =
    fresh.length > 0 && random.chance(0.6) ? random.pick(fresh) : random.chance(0.1) && random.recent(codes)
  if (!code) return undefined
  newCodes.delete(code)
  const password = `password ${random.below(1e9)}`
  const { name, user, email } = code
  return { name, user, email, code, ...(name === 'reset' && { password }) }
}

/** Chooses what a client does. */
export function choose(clients: Clients, random: Random): ChosenChange | undefined {
  const { accounts, wanted } = clients
  const withCode = chooseCode(clients, random)
  if (withCode) return withCode
  const account = random.pick(accounts)
  const email = spelled(clients, random.pick(wanted) ?? '')
  if (!account || random.chance(0.1)) return { name: 'signUp', user: '', email, password: `first ${email}` }
  const password = random.recent(account.passwords) ?? ''
  const last = account.tokens.at(-1)
  if (!last || random.chance(0.15))
    return { name: 'login', user: account.id, email: random.chance(0.8) ? account.email : email, password }
  const own = { user: account.id, token: last.id, jwt: last.jwt, password }
  if (random.chance(0.04)) return { name: 'deleteMe', ...own }
  if (random.chance(0.2)) return { name: 'me', ...own }
  clients.requested.set(email, account.id)
  return { name: 'request', ...own, email }
}

export function chooseCommand(clients: Clients, random: Random): ChosenChange | undefined {
  const user = random.pick(clients.accounts)?.id
  if (!user) return undefined
  if (random.chance(0.15)) return { name: 'disable', user }
  if (random.chance(0.5)) return { name: 'enable', user }
  const email = spelled(clients, random.pick(clients.wanted) ?? '')
  return { name: 'setEmail', user, email, hasUndo: random.chance(0.8) }
}

/** Learns what a response says. */
export function learn(
  { accounts }: Clients,
  { name, user, email = '', password = '' }: ChosenChange,
  { outcome, jwt, newToken = '', ...known }: Outcome,
) {
  const id = known.user ?? user
  const account = accounts.find((each) => each.id === id)
  if (outcome === 'refused') account?.tokens.pop()
  if (outcome !== 'done') return
  const tokens = jwt ? [{ jwt, id: newToken }] : []
  if (!account) {
    if (name === 'signUp') accounts.push({ id, email, passwords: [password], tokens })
    return
  }
  account.tokens.push(...tokens)
  if (name === 'reset') account.passwords.push(password)
  account.email = known.email ?? (['setEmail', 'undo', 'reset'].includes(name) ? email : account.email)
}
