import { expect } from 'vitest'
import type { TestApi } from './app.js'
import { elsewhere } from './codes.js'
import { actsOf, type Storm, type StormPerson, type StormResponse, thiefPassword } from './login-storm.js'

/** Starts a storm of people who log in, and change and delete their accounts, at the same time. */
export function createStorm(storm: Storm) {
  const { servers, database, random } = storm
  const usher = servers[0] as TestApi
  const { prisma } = usher.store
  const databaseId = database.id
  const acts = actsOf(storm)
  const counts: Record<string, number> = {}
  const people: StormPerson[] = []

  /** Returns a person who has no account yet. Usually a thief has signed up with the address. */
  async function newPerson() {
    const name = `person-${people.length}`
    const person: StormPerson = { name, emails: [`${name}@example.com`], tokens: [], stolen: [] }
    people.push(person)
    for (const act of ['thief', 'thiefLinks'] as const)
      if (random.chance(0.7)) for (const request of await acts[act](person)) await request(usher)
    return person
  }

  /** Returns requests of a person, or of the thief, for the same time. */
  async function prepare(person: StormPerson, names: readonly (keyof typeof acts)[]) {
    const prepared = []
    for (let count = 0; count < 4; count++)
      prepared.push(...(await acts[random.pick(names) ?? 'provider'](person)))
    return prepared
  }
  const all = Object.keys(acts) as (keyof typeof acts)[]

  /** Sends requests of a new person and of two others at the same time, and checks what they leave behind. */
  async function round() {
    // An address gets one mail a minute.
    for (const { clock } of servers) clock.now += 61_000
    const prepared = []
    for (const person of [random.recent(people), random.recent(people)]) {
      if (!person) continue
      // Changes need a valid token.
      for (const login of (await acts.provider(person)).slice(0, 1)) await login(usher)
      prepared.push(...(await prepare(person, all)))
    }
    prepared.push(...(await prepare(await newPerson(), ['provider', 'mail', 'reset', 'thief', 'thiefLinks'])))
    const sent = prepared.map((act) => act(random.pick(servers) ?? usher))
    const responses = await Promise.all(sent)
    for (const { act, statusCode, body } of responses) {
      expect(statusCode, `${act}: ${body}`).toBeLessThan(500)
      const outcome = `${act} ${statusCode < 300 ? 'succeeded' : JSON.parse(body).code}`
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
    await expectNoThief()
    await expectOneSession(responses)
  }

  /** Whoever has proven an address shares the account with nobody, and everybody has a way to log in. */
  async function expectNoThief() {
    const users = await prisma.user.findMany({ where: { databaseId, reservedFor: null } })
    const identities = await prisma.identity.findMany({ where: { databaseId } })
    for (const { userId } of identities) expect(users.map(({ id }) => id)).toContain(userId)
    for (const { id, email, emailVerifiedAt, passwordHash } of users) {
      const own = identities.filter(({ userId }) => userId === id)
      const isVerified = emailVerifiedAt !== null
      expect(isVerified || passwordHash !== null || own.length > 0, `${email} has no way in`).toBe(true)
      const person = people.find(({ emails }) => emails.includes(email))
      expect(person).toBeDefined()
      if (!isVerified) continue
      for (const { subject, isProven } of own) expect([subject, isProven]).toEqual([person?.name, true])
    }
    for (const { tokens, stolen } of people.slice(-4))
      for (const jwt of [...tokens.slice(-2), ...stolen.slice(-2)]) {
        const { statusCode, body } = await database.me(jwt)
        // The first login of the person verifies the address, and ends all tokens of the thief.
        if (statusCode === 200) expect(JSON.parse(body).emailVerified).toBe(tokens.includes(jwt))
      }
  }

  /** A login at a provider opens at most one session, however often it was finished. */
  async function expectOneSession(responses: readonly StormResponse[]) {
    for (const result of new Set(responses.map((response) => response.result))) {
      if (!result) continue
      const finished = responses.filter((each) => each.result === result && each.statusCode === 200)
      const bodies = finished.map(({ body }) => JSON.parse(body))
      expect(new Set(bodies.map(({ id }) => id)).size).toBeLessThan(2)
      const opened = await Promise.all(bodies.map(({ token }) => database.openSession(token.jwt)))
      expect(opened.filter(({ statusCode }) => statusCode === 201).length).toBeLessThan(2)
    }
  }

  /** Every person can log in at the latest address, and the thief nowhere that a person has. */
  async function expectCalm() {
    for (const { clock } of servers) clock.now += 3_600_000
    for (const person of people.slice(-4)) {
      const [login] = await acts.mail({ ...person, emails: person.emails.slice(-1) })
      const response = await login?.(usher)
      // A change to the latest address may have failed, and it may be reserved for an account of the person.
      expect([200, 409], response?.body).toContain(response?.statusCode)
    }
    const verified = await prisma.user.findMany({ where: { databaseId, emailVerifiedAt: { not: null } } })
    for (const { email } of verified) {
      const payload = { email, password: thiefPassword }
      const request = { url: `${database.users}/login`, payload, remoteAddress: elsewhere() }
      expect((await usher.send({ method: 'POST', ...request })).statusCode).toBe(401)
    }
    await expectNoThief()
  }
  return { round, expectCalm, counts }
}
