import { setTimeout as pause } from 'node:timers/promises'
import type { OpenStore } from '../../support/open-store.js'
import type { Account } from './account.js'
import { type Change, operationsOfMessages, takeChanges } from './changes.js'
import { commands, type Operator } from './commands.js'
import { auditDeliveries, auditTransactions, auditWaysIn, countEvents } from './events.js'
import type { Known } from './known.js'
import { linearize, type Verdict } from './linearize.js'
import { accountModel } from './model.js'
import { describeOperation, type Operation } from './operation.js'
import { type Random, randomOf } from './random.js'
import { type Recorded, startRecord } from './record.js'
import { clientOperations } from './requests.js'
import type { Mail, Prepared, Server } from './stage.js'

/** Servers on one store, and what their clients use. */
export interface World {
  servers: readonly Server[]
  operator: Operator
  store: OpenStore
  prepared: Prepared
  /** Gets every mail. */
  receive: (mail: Mail) => void
  /** Lets another server deliver the mails that servers are about to deliver, as if those had been stopped. */
  lapse(): Promise<void>
}

export interface RoundOptions {
  accounts: number
  /** Of each account. */
  clients: number
  /** Of each client. */
  operations: number
  /** Operations that are chosen ten times as often. */
  focus?: readonly string[]
  /** Milliseconds between two operations of a client, at most. */
  think?: number
  /** Causes faults until the function that it returns is called. */
  disturb?: () => () => Promise<unknown>
}

/** Returns a function that picks the name of an operation by its frequency. */
function picker(focus: readonly string[]) {
  const all = Object.entries({ ...clientOperations, ...commands })
  const weights = all.map(([name, { weight }]) => weight * (focus.includes(name) ? 10 : 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return (random: Random) => {
    let point = random.next() * total
    const index = weights.findIndex((weight) => {
      point -= weight
      return point < 0
    })
    return all[index]?.[0] ?? 'me'
  }
}

/** The operations that use codes. */
const usedBy = { password_reset: 'reset', email_verification: 'verify', login_code: 'finishLogin' } as const

/** Returns operations that make more happen than those at random: also several codes of an account at the same time. */
function likelyNames({ passwords, newCodes }: Known, random: Random) {
  if (passwords.length === 0 && random.chance(0.4)) return ['signUp']
  const names = [...new Set(newCodes.map(({ purpose }) => usedBy[purpose]))]
  if (names.length === 0) return passwords.length === 0 && random.chance(0.5) ? ['requestLoginCode'] : []
  return random.chance(names.length > 1 ? 0.9 : 0.2) ? names : []
}

/** One client of an account: sends operations one after the other, sometimes two in parallel. */
async function runClient(
  world: World,
  record: Recorded,
  known: Known,
  random: Random,
  { operations, focus = [], think }: RoundOptions,
) {
  const pick = picker(focus)
  let done = 0
  const unique = () => `${random.below(1e9)}-${done}`
  async function run(name: string) {
    const server = random.pick(world.servers)
    const input = (clientOperations[name] ?? commands[name])?.choose(known, random, unique)
    if (!input || !server) return
    if (random.chance(0.05)) await world.lapse()
    if (name in clientOperations) await record.request(name, input, known, server)
    else await record.command(name, input, known, world.operator)
  }
  while (done < operations) {
    const likely = likelyNames(known, random)
    const names =
      likely.length > 0 ? likely : random.chance(0.2) ? [pick(random), pick(random)] : [pick(random)]
    done += names.length
    await Promise.all(names.map(run))
    if (think) await pause(random.below(think))
  }
}

/** Tries everything that an account ever had: who is left with a valid token? */
async function probe({ servers }: World, { request }: Recorded, known: Known) {
  let turn = 0
  const send = (name: string, input: Operation['input']) =>
    request(name, input, known, servers[turn++ % servers.length] as Server)
  for (const password of [...known.passwords]) await send('login', { password })
  for (const token of [...known.tokens]) await send('me', { token })
  const seen = new Set<string>()
  for (const refreshToken of [...known.refreshTokens].reverse()) {
    // The last one of a session may be repeated at every server.
    const times = seen.has(refreshToken.sessionId) ? 1 : servers.length
    seen.add(refreshToken.sessionId)
    for (let time = 0; time < times; time++) await send('refresh', { refreshToken })
  }
  for (const code of [...known.codes].reverse())
    if (code.purpose === 'password_reset') await send('reset', { code, newPassword: 'password of the probe' })
    else if (code.purpose === 'email_verification') await send('verify', { code })
    else if (known.logins.has(code.id))
      for (const hasDigits of [false, true]) await send('finishLogin', { code, hasDigits, mayCreate: true })
}

/** Runs clients on some new accounts. Returns what is wrong with their history. */
export async function runRound(world: World, random: Random, options: RoundOptions) {
  const record = startRecord()
  world.receive = record.receive
  const accounts = Array.from({ length: options.accounts }, (_, index) =>
    record.addAccount(`user-${index}-${random.below(1e9)}@example.com`),
  )
  const clients = accounts.flatMap((known) =>
    Array.from({ length: options.clients }, () => {
      const own = randomOf(random.below(2 ** 31))
      return runClient(world, record, known, own, options)
    }),
  )
  const calm = options.disturb?.()
  await Promise.all(clients)
  await calm?.()
  await Promise.all(accounts.map((known) => probe(world, record, known)))
  await world.prepared.settle()
  return judge(record, await takeChanges(world.store), world.prepared.receiver.requests.splice(0))
}

/** Returns what is wrong with a history, and how long it is. */
export function judge(
  { history, arrivals }: Pick<Recorded, 'history' | 'arrivals'>,
  changes: readonly Change[],
  received: Parameters<typeof auditDeliveries>[1],
) {
  const known = history.filter(({ isRead, outcome }) => !isRead || outcome !== undefined)
  const all = [...known, ...operationsOfMessages(changes, history, arrivals)]
  const emails = [...new Set(all.map(({ email }) => email))]
  const start = performance.now()
  const errors = emails.flatMap((email) => {
    const verdict = linearize(
      accountModel,
      all.filter((each) => each.email === email),
    )
    return verdict.is === 'linearizable' ? [] : [`${email}: ${verdict.is}\n${explain(verdict)}`]
  })
  const checked = performance.now() - start
  return {
    operations: history.length,
    reclaimed: countEvents(changes, 'user.reclaimed'),
    unknown: history.filter(({ outcome }) => outcome === undefined).length,
    /** Milliseconds that the search took. */
    checked,
    errors: [
      ...errors,
      ...auditWaysIn(changes),
      ...auditTransactions(changes),
      ...auditDeliveries(changes, received),
    ],
  }
}

/** Shows the end of the longest part of a history that the model explains, and what it cannot explain. */
const explain = ({ order, state, next }: Verdict<Account, Operation>) =>
  [
    ...order.slice(-40).map(describeOperation),
    `state ${JSON.stringify(state)}`,
    ...next.map((each) => `impossible ${describeOperation(each)}`),
  ].join('\n')
