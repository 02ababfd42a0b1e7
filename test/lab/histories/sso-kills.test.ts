import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Scope } from '@usher/contract/management'
import { expect } from 'vitest'
import { lockUsersAndTenant } from '../../../server/store/queries/members.js'
import {
  findTenantConnection,
  updateTenantConnection,
} from '../../../server/store/queries/sso-connections.js'
import { endProofs } from '../../../server/store/queries/sso-entries.js'
import { createApiKey, runAsOperator, setDatabase } from '../../support/operator-changes.js'
import { it as ssoTest } from '../../support/sso-login.js'
import { isLong, report, times } from '../form.js'
import { seed } from '../hostile/cases.js'
import { startServer } from './processes.js'
import { randomOf } from './random.js'
import { createClient, send, type World } from './sso-clients.js'
import { createFacts, type Place, places } from './sso-facts.js'
import { settings } from './stage.js'

const users = ['ada', 'grace']
/** Servers that are killed, and after how many turns of clients and operator. */
const [kills, killsAfter] = [times(2, 150), times(40, 120)]
const always = { call: 0, end: 0 }

const it = ssoTest
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  /** A database of the history, with what its clients and its operator do. */
  .extend('history', async ({ sso, app, usher, store, provider }, { onCleanup }) => {
    const random = randomOf(seed)
    const facts = createFacts()
    await setDatabase(store, app, { networkFailuresPerHour: 0, signUpsPerHour: 0, secondFactor: 'optional' })
    const now = () => {
      usher.clock.now = Date.now()
      return new Date(usher.clock.now)
    }
    now()
    const added = { acme: await sso.tenant('acme.example'), other: await sso.tenant('other.example') }
    const owner = await sso.verified('owner@acme.example')
    await store.prisma.user.updateMany({ where: { id: owner.id }, data: { needsSecondStep: true } })
    const ids: Record<string, string> = {}
    const emails: Record<string, string> = {}
    for (const user of users) {
      const email = `${user}@acme.example`
      emails[user] = email
      ids[user] = (await sso.verified(email)).id
    }
    for (const place of places) {
      await added[place].add(owner.id, 'owner')
      for (const user of users) {
        await added[place].add(ids[user] ?? '')
        facts.add(`add ${place} ${user}`, always)
      }
      for (const fact of [`waive ${place}`, `enable ${place}`, `issuer ${added[place].issuer}`])
        facts.add(fact, always)
    }
    const tenants = { acme: { ...added.acme }, other: { ...added.other } }
    // Single sign-on can be required only while there is another connection that is enabled, too.
    const spare = { preset: 'oidc', clientId: 'app', createdAt: now(), issuer: 'https://idp.spare.example' }
    await store.prisma.tenantConnection.createMany({
      data: places.map((place) => ({
        ...spare,
        id: randomUUID(),
        databaseId: app.id,
        tenantId: tenants[place].id,
      })),
    })
    const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 86_400 }
    const { key: apiKey } = await createApiKey({ store, now: now() }, app, described)

    const env: Record<string, string> = { ...settings, ...store.settings, BASE_URL: 'https://id.example.com' }
    const url = env.DATABASE_URL ?? ''
    const servers = await Promise.all([1, 2, 3].map(() => startServer(url, env, 0)))
    onCleanup(async () => void (await Promise.all(servers.map((server) => server.close()))))
    const world: World = {
      ...{ servers, random, facts, tenants, emails, seen: [], root: app.users.replace(/\/users$/, '') },
      async returned(place, user) {
        now()
        const { connectionId: connection, issuer } = tenants[place]
        const email = emails[user] ?? null
        return provider.returned({ connection, issuer, subject: user, email, emailProof: null })
      },
    }

    /** Sends a change of the backend, which begins what a fact says. */
    async function change(
      fact: string,
      ...[method, path, payload]: ['PUT' | 'PATCH' | 'DELETE', string, object?]
    ) {
      const answer = await send(world, [method, `management/tenants/${path}`, apiKey, payload])
      const { status = 0, body, call, end } = answer
      const isDone = status >= 200 && status < 300
      if (status >= 400) expect([fact, body.code]).toEqual([fact, 'sso_untested'])
      facts.add(fact, { call, end: isDone ? end : Number.POSITIVE_INFINITY })
      return isDone
    }
    let issuers = 0
    const changes: Record<string, (place: Place, user: string) => Promise<unknown>> = {
      require: (place) =>
        change(`require ${place}`, 'PATCH', `${tenants[place].id}/sso`, {
          required: true,
          exempt: [owner.id],
        }),
      waive: (place) => change(`waive ${place}`, 'PATCH', `${tenants[place].id}/sso`, { required: false }),
      add: (place, user) =>
        change(`add ${place} ${user}`, 'PUT', `${tenants[place].id}/members/${ids[user]}`, {
          role: 'member',
        }),
      remove: (place, user) =>
        change(`remove ${place} ${user}`, 'DELETE', `${tenants[place].id}/members/${ids[user]}`),
      async unlink(place, user) {
        const where = { databaseId: app.id, tenantId: tenants[place].id, userId: ids[user] ?? '' }
        const entry = await store.prisma.tenantEntry.findFirst({ where })
        if (entry)
          await change(`unlink ${place} ${user}`, 'DELETE', `${tenants[place].id}/sso/entries/${entry.id}`)
      },
      async disable(place) {
        const path = `${tenants[place].id}/sso/connections/${tenants[place].connectionId}`
        await change(`disable ${place}`, 'PATCH', path, { isEnabled: false })
        await pause(random.below(300))
        await change(`enable ${place}`, 'PATCH', path, { isEnabled: true })
      },
      /** What the operation does after it has asked the new provider. */
      async reissue(place) {
        const { id: tenantId, connectionId, issuer: former } = tenants[place]
        const issuer = `https://idp-${++issuers}.${place}.example`
        const id = { databaseId: app.id, id: connectionId }
        const call = Date.now()
        await runAsOperator({ store, now: now() }, app, async (within) => {
          await lockUsersAndTenant(within, { databaseId: app.id, tenantId }, [])
          await endProofs(within, { databaseId: app.id, tenantId, connectionId }, within.now)
          const connection = (await findTenantConnection(within, id)) ?? expect.fail()
          await updateTenantConnection(within, { ...connection, issuer, testedAt: null })
          return { result: undefined, facts: [] }
        })
        const span = { call, end: Date.now() }
        for (const fact of [`reissue ${place}`, `issuer ${issuer}`, `former issuer ${former}`])
          facts.add(fact, span)
        tenants[place].issuer = issuer
      },
    }
    const weighted = ['require', 'require', 'require', 'waive', 'waive', 'add', 'add', 'add', 'add']
    weighted.push('remove', 'remove', 'unlink', 'unlink', 'disable', 'reissue')
    return {
      ...{ world, servers, random },
      errors: () => world.seen.flatMap(facts.errorsOf),
      operate: async () =>
        changes[random.pick(weighted) ?? '']?.(random.pick(places) ?? 'acme', random.pick(users) ?? ''),
    }
  })

it('no token has a tenant without the proof that it needs, whatever server is killed', {
  timeout: times(120_000, 3_600_000),
}, async ({ history: { world, servers, random, errors, operate } }) => {
  let turns = 0
  const loop = async (turn: () => Promise<unknown>) => {
    while (turns < killsAfter * (kills + 1)) {
      await turn()
      turns += 1
      await pause(random.below(30))
    }
  }
  const clients = users.flatMap((user) => [createClient(world, user), createClient(world, user)])
  const loops = Promise.all([...clients, operate].map(loop))
  loops.catch(() => undefined)
  for (let count = 1; count <= kills; count++) {
    while (turns < killsAfter * count) await Promise.race([pause(20), loops])
    const server = servers[count % servers.length]
    await server?.kill()
    // A start takes longer than the rest of the short form.
    if (isLong) await server?.restart()
  }
  await loops
  const { seen } = world
  const proven = seen.filter(({ sso }) => Object.keys(sso).length > 0).length
  report(`${kills} kills, ${seen.length} answers, ${proven} with a proof, seed ${seed}`)
  expect(errors()).toEqual([])
  if (isLong) expect(proven).toBeGreaterThan(kills)
})
