import { setTimeout as pause } from 'node:timers/promises'
import { type Clients, choose, chooseCommand, learn, receive, spelled } from './address-clients.js'
import { addressModel } from './address-model.js'
import { type ChosenChange, command, request, send } from './address-requests.js'
import { type AddressOperation, canonical } from './address-state.js'
import { type Change, takeChanges } from './changes.js'
import { linearize } from './linearize.js'
import type { Random } from './random.js'
import type { World } from './round.js'

/** Reads who has which address. */
async function read({ store }: World, { wanted }: Clients): Promise<Partial<AddressOperation>> {
  const rows = await store.prisma.user.findMany({ where: { canonicalEmail: { in: wanted.map(canonical) } } })
  const texts = rows.map(({ id, email, reservedFor }) =>
    reservedFor ? `${email} reserved for ${reservedFor}` : `${email} ${id}`,
  )
  return { outcome: texts.sort().join(', ') }
}

/** Runs an operation, and adds it to the history unless it was not tried. */
type Run = (chosen: ChosenChange, by: () => ReturnType<typeof request>) => Promise<void>

function recordIn(history: AddressOperation[], clients: Clients): Run {
  return async (chosen, by) => {
    const call = performance.now()
    const known = await by()
    if (!known) return
    const end = known.outcome === undefined ? Number.POSITIVE_INFINITY : performance.now()
    const { code, jwt: _, ...input } = chosen
    const { jwt: __, ...result } = known
    learn(clients, chosen, known)
    const ids = code && { codeId: code.value.split('.')[0] ?? '' }
    const isRead = chosen.name === 'me' || chosen.name === 'read'
    history.push({ ...input, ...ids, outcome: undefined, ...result, call, return: end, isRead })
  }
}

/** Returns who takes part in a round. Each runs a number of operations. */
function actorsOf(world: World, random: Random, { clients, run }: { clients: Clients; run: Run }) {
  const sendOne = (chosen: ChosenChange) => run(chosen, () => request(world, random, chosen))
  return {
    send: sendOne,
    async client(operations: number) {
      for (let index = 0; index < operations; index++) {
        const { email } = random.pick(clients.codes) ?? { email: random.pick(clients.wanted) }
        // Not part of the history: its mail is.
        if (random.chance(0.1)) await send(world, random, ['POST', '/password-reset', { email }])
        const chosen = choose(clients, random)
        if (chosen) await sendOne(chosen)
        if (random.chance(0.05)) await world.lapse()
        // Lets mails arrive.
        await pause(random.below(40))
      }
    },
    async operator(operations: number) {
      for (let index = 0; index < operations; index++) {
        await pause(random.below(30))
        const chosen = chooseCommand(clients, random)
        if (chosen) await run(chosen, () => command(world, chosen))
      }
    },
    async observer(operations: number) {
      for (let index = 0; index < operations; index++) {
        await pause(random.below(40))
        await run({ name: 'read', user: '' }, () => read(world, clients))
      }
    },
    /** Tries the last passwords, tokens and codes of every account. */
    async probe() {
      const tried: ChosenChange[] = clients.accounts.flatMap(({ id: user, email, passwords, tokens }) => [
        ...passwords.slice(-2).map((password) => ({ name: 'login' as const, user, email, password })),
        ...tokens.slice(-2).map(({ id: token, jwt }) => ({ name: 'me' as const, user, token, jwt })),
      ])
      const changes = clients.codes.filter(({ name }) => name !== 'reset')
      const codes = changes.map((code) => ({ name: code.name, user: code.user, email: code.email, code }))
      for (const chosen of [...tried, ...codes]) await sendOne(chosen)
    },
  }
}

/** Lets clients and an operator change the addresses of new accounts concurrently. Returns the errors of the history. */
export async function runAddressRound(world: World, random: Random, operations: number) {
  const wanted = Array.from({ length: 5 }, (_, index) => `wanted-${index}-${random.below(1e9)}@example.com`)
  const clients: Clients = {
    ...{ wanted, spellings: 0, accounts: [], codes: [] },
    ...{ newCodes: new Set(), requested: new Map(), arrivals: new Map() },
  }
  world.receive = (mail) => receive(clients, mail)
  const history: AddressOperation[] = []
  const actors = actorsOf(world, random, { clients, run: recordIn(history, clients) })
  for (const address of wanted.slice(0, 3)) {
    const email = spelled(clients, address)
    await actors.send({ name: 'signUp', user: '', email, password: `first ${email}` })
  }
  const started = Array.from({ length: 5 }, () => actors.client(operations))
  await Promise.all([...started, actors.operator(operations), actors.observer(operations)])
  await world.prepared.settle()
  await actors.observer(1)
  await actors.probe()
  await world.prepared.settle()
  await actors.observer(1)
  world.prepared.receiver.requests.splice(0)
  const all = withStored(history, await takeChanges(world.store), clients)
  const count = (name: string) => all.filter((each) => each.name === name && each.outcome === 'done').length
  return { errors: errorsOf(all), operations: all.length, changed: count('confirm'), undone: count('undo') }
}

/** Adds what the store has recorded: which row reserves the former address of a change, and codes that mails have brought. */
function withStored(history: readonly AddressOperation[], changes: readonly Change[], { arrivals }: Clients) {
  const reserving = new Map(
    changes.flatMap(({ transaction, table, before, after }) =>
      table === 'user' && !before && after?.reserved_for ? [[transaction, String(after.id)] as const] : [],
    ),
  )
  const undoIds = new Map(
    changes.flatMap(({ transaction, table, before, after }) =>
      table === 'user' && before && after && before.email !== after.email
        ? [[String(after.email), reserving.get(transaction)] as const].filter(([, id]) => id)
        : [],
    ),
  )
  const stored = changes.flatMap(({ table, before, after, at }): AddressOperation[] => {
    const isReset = (after?.payload as { type?: string } | undefined)?.type === 'password_reset'
    const end = arrivals.get(String(after?.id))
    if (table !== 'outbox' || before || !isReset || end === undefined) return []
    const ids = { user: String(after?.user_id), codeId: String(after?.id) }
    return [{ name: 'stored', ...ids, outcome: 'done', call: at - 5, return: end }]
  })
  const changed = history.map((operation) => {
    const { name, email = '' } = operation
    const undoId = ['confirm', 'setEmail'].includes(name) && undoIds.get(email)
    return undoId ? { ...operation, undoId } : operation
  })
  return [...changed, ...stored]
}

function errorsOf(history: readonly AddressOperation[]) {
  const verdict = linearize(addressModel, history)
  if (verdict.is === 'linearizable') return ''
  const lines = (operations: readonly AddressOperation[]) =>
    operations.map(
      ({ name, user, email = '', codeId, undoId, outcome, ...times }) =>
        `  ${times.call.toFixed()}-${times.return.toFixed()} ${name} ${user.slice(-4)} ${email} ${codeId?.slice(-4) ?? ''} ${undoId?.slice(-4) ?? ''} -> ${outcome}`,
    )
  return [
    ...[`${verdict.is}:`, ...lines(verdict.order), `state ${JSON.stringify(verdict.state)}, then one of`],
    ...lines(verdict.next),
  ].join('\n')
}
