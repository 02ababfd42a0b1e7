import fc from 'fast-check'
import { expect } from 'vitest'
import { password } from '../../support/app.js'
import { outcome } from '../../support/codes.js'
import { it, opened } from '../../support/sso-login.js'

// Random histories against a model of two users and two tenants: no token and no request has a tenant without the proof that it
// needs, and none lacks one.

const names = ['ada', 'grace'] as const
type Name = (typeof names)[number]
const places = ['acme', 'other'] as const
type Place = (typeof places)[number]

const maxAges = { acme: 7_200, other: 2_592_000 }
const tokenSeconds = 3_600

interface Link {
  isMember: boolean
  isOnly: boolean
  /** Since when proofs count. Undefined: the provider has not named the user. */
  provesFrom?: number | undefined
}

interface Session {
  user: Name
  isTenantOnly: boolean
  proofs: Partial<Record<Place, number>>
  jwt: string
  refreshToken: string
  /** What the token has: its proofs, and when it ends. */
  token: { proofs: Partial<Record<Place, number>>; exp: number }
}

const user = fc.constantFrom(...names)
const place = fc.constantFrom(...places)
const session = fc.nat(100)
const action = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('log in'), user }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('sign on'), user, place }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('prove'), session, place }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('refresh'), session }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('read'), session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('require'), place }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add'), user, place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), user, place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unlink'), user, place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), minutes: fc.constantFrom(5, 20, 70) }) },
)
type Action = {
  do: string
  user?: Name
  place?: Place
  session?: number
  minutes?: number
}

it('gives each token and each request exactly the tenants whose proof it has, in every generated history', {
  timeout: 120_000,
}, async ({ sso, app, usher, clock }) => {
  const history = async (actions: readonly Action[]) => {
    const run = Math.random().toString(36).slice(2)
    const domains = { acme: `${run}.acme.example`, other: `${run}.other.example` }
    const tenants = {
      acme: await sso.tenant(domains.acme, { ssoMaxAge: maxAges.acme }),
      other: await sso.tenant(domains.other),
    }
    const emails = { ada: `ada@${domains.acme}`, grace: `grace@${domains.acme}` }
    const ids: Record<Name, string> = { ada: '', grace: '' }
    for (const name of names) ids[name] = (await sso.verified(emails[name])).id
    const isRequired = { acme: false, other: false }
    const newLinks = (): Record<Place, Link> => ({
      acme: { isMember: false, isOnly: false },
      other: { isMember: false, isOnly: false },
    })
    const links = { ada: newLinks(), grace: newLinks() }
    const sessions: Session[] = []
    const seconds = () => Math.floor(clock.now / 1000)

    const endOf = (name: Name, at: Place, proofs: Session['proofs']) => {
      const proof = proofs[at]
      const { provesFrom } = links[name][at]
      if (proof === undefined || provesFrom === undefined || proof < provesFrom) return undefined
      const end = proof + maxAges[at]
      return end > clock.now / 1000 ? end : undefined
    }
    /** The tenants that the model opens. */
    const openOf = (
      { user: name, isTenantOnly }: Pick<Session, 'user' | 'isTenantOnly'>,
      proofs: Session['proofs'],
    ) =>
      places.filter((at) => {
        const { isMember, isOnly } = links[name][at]
        if (!isMember) return false
        if (endOf(name, at, proofs) !== undefined) return true
        return !isTenantOnly && !isRequired[at] && !isOnly
      })
    const idsOf = (open: readonly Place[]) => open.map((at) => tenants[at].id).sort()
    const expectToken = (
      of: Session,
      body: { tenants: string[]; token: { jwt: string; maxAge: number } },
    ) => {
      const open = openOf(of, of.proofs)
      const { account, tenants: inToken } = opened(body.token.jwt)
      expect([[...body.tenants].sort(), [...(inToken as string[])].sort(), account]).toEqual([
        idsOf(open),
        idsOf(open),
        of.isTenantOnly ? false : undefined,
      ])
      const ends = open.flatMap((at) => endOf(of.user, at, of.proofs) ?? [])
      const exp = Math.min(seconds() + tokenSeconds, ...ends)
      expect(body.token.maxAge).toBe(exp - seconds())
      const proofs = Object.fromEntries(
        open.flatMap((at) => (endOf(of.user, at, of.proofs) === undefined ? [] : [[at, of.proofs[at]]])),
      )
      Object.assign(of, { jwt: body.token.jwt, token: { proofs, exp } })
    }
    const open = async (
      of: Pick<Session, 'user' | 'isTenantOnly' | 'proofs'>,
      body: Parameters<typeof expectToken>[1],
    ) => {
      const added = { ...of, jwt: '', refreshToken: '', token: { proofs: {}, exp: 0 } }
      expectToken(added, body)
      const { refreshToken } = (await app.openSession(body.token.jwt)).json()
      sessions.push({ ...added, refreshToken: refreshToken.value })
    }

    const rules: Record<string, (action: Required<Action>) => Promise<unknown>> = {
      'log in': async ({ user: name }) => {
        const body = (await app.login({ email: emails[name], password })).json()
        await open({ user: name, isTenantOnly: false, proofs: {} }, body)
      },
      'sign on': async ({ user: name, place: at }) => {
        const response = await tenants[at].logIn({ subject: name, email: emails[name] })
        const link = links[name][at]
        if (link.provesFrom !== undefined && !link.isMember)
          return expect(outcome(response)).toEqual([403, 'membership_ended'])
        if (link.provesFrom === undefined && at === 'other')
          return expect(outcome(response)).toEqual([403, 'not_member'])
        if (!link.isMember) Object.assign(link, { isMember: true, isOnly: true })
        link.provesFrom ??= seconds()
        await open({ user: name, isTenantOnly: true, proofs: { [at]: seconds() } }, response.json())
      },
      prove: async ({ session: index, place: at }) => {
        const of = sessions[index % sessions.length]
        if (!of) return
        const response = await tenants[at].prove(of.jwt, { subject: of.user, email: emails[of.user] })
        if (isDead(of)) return expect(response.statusCode).toBe(401)
        const link = links[of.user][at]
        if (!link.isMember) return expect(outcome(response)).toEqual([403, 'not_member'])
        if (link.provesFrom === undefined && of.isTenantOnly)
          return expect(outcome(response)).toEqual([403, 'own_login_required'])
        link.provesFrom ??= seconds()
        of.proofs = { ...of.proofs, [at]: seconds() }
        expectToken(of, response.json())
      },
      refresh: async ({ session: index }) => {
        const of = sessions[index % sessions.length]
        if (!of) return
        const response = await app.refresh(of.refreshToken)
        if (of.isTenantOnly && openOf(of, of.proofs).length === 0) {
          expect(outcome(response)).toEqual([401, 'session_ended'])
          return sessions.splice(sessions.indexOf(of), 1)
        }
        of.refreshToken = response.json().refreshToken.value
        expectToken(of, response.json())
      },
      read: async ({ session: index }) => {
        const of = sessions[index % sessions.length]
        if (!of) return
        const response = await app.me(of.jwt)
        if (isDead(of)) return expect(response.statusCode).toBe(401)
        expect(response.json().tenants.sort()).toEqual(idsOf(openOf(of, of.token.proofs)))
        for (const at of places) {
          const { statusCode } = await sso.as(of.jwt, 'GET', `tenants/${tenants[at].id}/members`)
          expect([at, statusCode]).toEqual([at, openOf(of, of.token.proofs).includes(at) ? 200 : 404])
        }
      },
      require: async ({ place: at }) => {
        isRequired[at] = !isRequired[at]
        await tenants[at].set({ ssoRequiredAt: isRequired[at] ? new Date(clock.now) : null })
      },
      add: async ({ user: name, place: at }) => {
        if (links[name][at].isMember) return
        Object.assign(links[name][at], { isMember: true, isOnly: false })
        await tenants[at].add(ids[name])
      },
      remove: async ({ user: name, place: at }) => {
        links[name][at].isMember = false
        await tenants[at].remove(ids[name])
      },
      unlink: async ({ user: name, place: at }) => {
        links[name][at].provesFrom = undefined
        const where = { databaseId: app.id, tenantId: tenants[at].id, userId: ids[name] }
        await usher.store.prisma.tenantEntry.deleteMany({ where })
      },
      wait: async ({ minutes }) => {
        clock.now += minutes * 60_000
      },
    }
    /** Whether the token has expired, or opens nothing any more. */
    const isDead = (of: Session) =>
      clock.now / 1000 >= of.token.exp || (of.isTenantOnly && openOf(of, of.token.proofs).length === 0)
    for (const each of actions) await rules[each.do]?.(each as Required<Action>)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 30, maxLength: 60, size: 'max' }), history),
    { numRuns: 8, endOnFailure: true },
  )
})
