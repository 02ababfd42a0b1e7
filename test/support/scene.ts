import { randomUUID } from 'node:crypto'
import type { AppRoute } from '@ts-rest/core'
import {
  type AddedFactor,
  type RouteMetadata,
  type Session,
  type SignedInUser,
  userTokenOf,
} from '@usher/contract'
import { Scope } from '@usher/contract/management'
import { expect, vi } from 'vitest'
import type { ProviderClaims } from '../../server/domain/providers/identify.js'
import { password, type TestApi, type TestDatabase, validUser } from './app.js'
import { mailOf, newVerifier } from './login-mail.js'
import {
  type DescribedOperation,
  everyOperation,
  type ManagementOperationName,
  type OperationName,
  type OperationRequest,
} from './operations.js'
import { createApiKey, putMember, setDatabase } from './operator-changes.js'
import { addConnection, returnedCode, signTokens } from './returned-login.js'
import { passkeysOf } from './scene-passkeys.js'
import { totpAt } from './second-factor.js'
import { codeIn, type Smtp } from './smtp.js'

/** A database in which every operation of {@link everyOperation} succeeds. */
export interface Stage {
  api: TestApi
  smtp: Smtp
  database: TestDatabase
  /** An API key with all scopes. */
  key: string
  signToken: Awaited<ReturnType<typeof signTokens>>
}

/** Prepares a database for every operation. */
export async function prepareStage(api: TestApi, smtp: Smtp): Promise<Stage> {
  const database = await api.newDatabase()
  await setDatabase(api.store, database, {
    appUrl: 'https://app.example.com',
    loginMail: 'both',
    eventsKept: 7,
    roles: ['billing'],
    sessionsPerUser: 5,
    noticeNewNetwork: true,
    singleSignOn: true,
    claimSources: ['plan=user.metadata.plan', 'tier=tenant.privateMetadata.tier'],
  })
  const createdAt = new Date(api.clock.now)
  const github = {
    name: 'github',
    preset: 'github',
    issuer: 'https://github.com',
    clientId: 'app',
    options: {},
  }
  await api.store.prisma.connection.create({ data: { databaseId: database.id, ...github, createdAt } })
  await addConnection(api, database.id, 'acme')
  const signToken = await signTokens(api)
  const operation = { store: api.store, now: createdAt }
  const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 3600 }
  const { key } = await createApiKey(operation, database, described)
  return { api, smtp, database, key, signToken }
}

export type Scene = Awaited<ReturnType<typeof createScene>>

type Person = SignedInUser & { email: string }

/** Creates a user who owns a tenant, and returns what requests may need besides. */
export async function createScene(stage: Stage) {
  const { api, database, smtp } = stage
  const { prisma } = api.store
  const { email } = validUser()
  const user: Person = { email, ...(await database.signedUp({ email, newTenant: 'Engines' })) }
  const tenantId = user.tenants[0] ?? ''
  const where = { databaseId: database.id }

  async function signedUp(address = validUser().email): Promise<Person> {
    return { email: address, ...(await database.signedUp({ email: address })) }
  }
  /** Returns a new member of the tenant. */
  async function member(role?: string) {
    const other = await signedUp()
    const operation = { store: api.store, now: new Date(api.clock.now) }
    await putMember(operation, database, { tenantId, userRef: other.id, ...(role && { role }) })
    return other
  }
  let opened: Promise<Session> | undefined
  /** Opens the session of the user, at the first call. */
  function session() {
    opened ??= database.openSession(user.token.jwt).then((response) => response.json())
    return opened
  }
  let added: Promise<AddedFactor & { secret: string; confirmed: { confirmation: string } }> | undefined
  /** Adds an authenticator app to the user, at the first call. Earlier tokens of the user are revoked. */
  function factor() {
    added ??= enrolment().then(async ({ secret, ...body }) => {
      const response = await database.as(user.token.jwt, 'POST', 'me/factors/totp/confirm', body)
      const { confirmation, ...rest } = response.json()
      return { ...rest, confirmation, secret, confirmed: { confirmation: confirmation.value } }
    })
    return added
  }
  /** Returns the body that adds an authenticator app, and its secret. */
  async function enrolment() {
    await database.markVerified(email)
    const response = await database.as(user.token.jwt, 'POST', 'me/factors/totp', { password })
    const { challenge, secret } = response.json()
    return { challenge: String(challenge), secret: String(secret), totp: totpAt(secret, api.clock.now) }
  }
  /** Lets a person return from a provider. Returns the code and the verifier that finish the login. */
  async function returned(person: Partial<ProviderClaims> & { connection?: string } = {}) {
    const { verifier, challenge } = newVerifier()
    return { verifier, code: await returnedCode(api, database.id, { challenge, ...person }) }
  }
  /** Starts a login, and lets a person get an ID token of the provider for it. */
  async function token(person: { sub: string; email?: string }) {
    const { verifier, challenge } = newVerifier()
    const payload = { connection: 'acme', challenge }
    const url = `${database.users}/login/start`
    const { state, nonce } = (await api.send({ method: 'POST', url, payload })).json()
    return { verifier, state, idToken: await stage.signToken({ nonce, ...person }) }
  }
  let identity: Promise<{ id: string }> | undefined
  /** Links an identity to the user, at the first call. */
  function linked() {
    identity ??= returned({ subject: `linked-${user.id}` })
      .then((body) => database.as(user.token.jwt, 'POST', 'me/identities', { ...body, password }))
      .then((response) => response.json())
    return identity
  }
  const succeed = (of: DescribedOperation['api']) => async (name: string, request?: OperationRequest) => {
    const described = everyOperation.find((each) => each.api === of && each.name === name)
    if (!described) throw new Error(`no operation ${name}`)
    const response = await api.send(await requestTo(stage, scene, described, request))
    expect(response.statusCode, `${name}: ${response.body}`).toBeLessThan(300)
    return response.body ? response.json() : undefined
  }
  const call: (name: OperationName, request?: OperationRequest) => Promise<{ id: string }> = succeed('api')
  const callManagement: (
    name: ManagementOperationName,
    request?: OperationRequest,
  ) => Promise<{ id: string }> = succeed('management')
  /** Calls an operation. Returns the code for a page of the app in the mail that it causes. */
  async function mailedCode(name: OperationName, page: string, request?: OperationRequest) {
    const before = smtp.mails.length
    await call(name, request)
    const sent = () =>
      smtp.mails
        .slice(before)
        .find(
          ({ recipients, parsed }) =>
            recipients.join().includes(email) && parsed.text?.includes(`/${page}#code=`),
        )
    return codeIn(await vi.waitFor(() => sent() ?? expect.fail(`no mail with ${page}`), 10_000))
  }
  const scene = {
    user,
    tenantId,
    invitedEmail: `invited-${email}`,
    signedUp,
    member,
    session,
    factor,
    returned,
    token,
    linked,
    enrolment,
    ...passkeysOf(api, database, async () => ({
      jwt: (await factor()).token.jwt,
      confirmed: (await factor()).confirmed,
    })),
    /** Logs in with the password. Returns the challenge, and the next code of the app. */
    async secondStep() {
      const { secret } = await factor()
      const { secondFactor } = (await database.login({ email, password })).json()
      return { challenge: secondFactor.challenge, totp: totpAt(secret, api.clock.now + 30_000) }
    },
    call,
    callManagement,
    mailedCode,
    verify: database.markVerified,
    /** Starts a login by mail. Returns the body that finishes it. */
    async startedLogin(email: string) {
      const { verifier, challenge } = newVerifier()
      const response = await api.send({
        method: 'POST',
        url: `${database.users}/login/code`,
        payload: { email, challenge },
      })
      const { login } = response.json()
      return { login, verifier, ...(await mailOf(api, database.id, { login, email })) }
    },
    setSeats: (seats: number) =>
      prisma.tenant.updateMany({ where: { ...where, id: tenantId }, data: { seats } }),
    async failLogins(times: number) {
      for (let count = 0; count < times; count++) await database.login({ email, password: 'wrong password' })
    },
    /** Uses up the codes of an app that may be wrong. */
    async failSecondSteps() {
      const { challenge } = await scene.secondStep()
      const url = `${database.users}/login/second-factor`
      for (let count = 0; count < 10; count++)
        await api.send({ method: 'POST', url, payload: { challenge, totp: '000000' } })
    },
    /** Proves again that a user is there, by default that of the scene. */
    async confirmation({ token: { jwt } }: Pick<Person, 'token'> = user) {
      const response = await database.as(jwt, 'POST', 'me/step-up', { password })
      return String(response.json().confirmation.value)
    },
    /** Adds a provider to the tenant. */
    async connection() {
      const row = { ...where, id: randomUUID(), tenantId, preset: 'oidc', clientId: 'app' }
      const more = { issuer: 'https://idp.example', createdAt: new Date(api.clock.now) }
      return prisma.tenantConnection.create({ data: { ...row, ...more } })
    },
    /** Adds a domain to the tenant, and its record. */
    async domain() {
      const row = { ...where, tenantId, domain: `${tenantId}.example`, token: 'token', state: 'pending' }
      await prisma.tenantDomain.createMany({ data: { ...row, createdAt: new Date(api.clock.now) } })
      api.dns.set(`_usher.${row.domain}`, ['usher=token'])
      return row.domain
    },
    /** Links the user to a person of the provider of the tenant. */
    async entry() {
      const row = { ...where, id: randomUUID(), tenantId, userId: user.id, connectionId: randomUUID() }
      const more = { issuer: 'https://idp.example', subject: user.id, provesFrom: new Date(api.clock.now) }
      return prisma.tenantEntry.create({ data: { ...row, ...more } })
    },
    /** Lets the user open the tenant with a second factor, and a login have succeeded, so that single sign-on can be required. */
    async readyToRequire() {
      const { id } = await scene.connection()
      const testedAt = new Date(api.clock.now)
      await prisma.tenantConnection.updateMany({ where: { ...where, id }, data: { testedAt } })
      await prisma.user.updateMany({ where: { ...where, id: user.id }, data: { needsSecondStep: true } })
      await member()
    },
    /** Returns the code of a link to the portal of the tenant. */
    async portalCode() {
      const created: unknown = await callManagement('createSsoPortal')
      return String((created as { url: string }).url.split('#code=')[1])
    },
    refreshTwice: async () => database.refreshTwice((await session()).refreshToken.value),
  }
  return scene
}

/** Returns the URL of a request to an operation. */
async function urlOf({ database }: Stage, scene: Scene, { path }: AppRoute, request: OperationRequest) {
  const { workspaceSlug, databaseName } = database
  const given: Record<string, string | undefined> = {
    ...{ workspaceSlug, databaseName, tenantId: scene.tenantId },
    ...(await request.params?.(scene)),
  }
  if (path.includes(':sessionId'))
    given.sessionId ??= (await scene.session()).refreshToken.value.split('.')[0]
  if (path.includes(':factorId')) given.factorId ??= (await scene.factor()).factor.id
  if (path.includes(':identityId')) {
    given.identityId ??= (await scene.linked()).id
    given.userId ??= scene.user.id
  }
  if (path.includes(':userId')) given.userId ??= (await scene.member()).id
  if (path.includes(':connectionId')) given.connectionId ??= (await scene.connection()).id
  if (path.includes(':domain')) given.domain ??= await scene.domain()
  if (path.includes(':entryId')) given.entryId ??= (await scene.entry()).id
  if (path.includes(':invitationId')) given.invitationId ??= (await scene.call('inviteMember')).id
  return path.replace(/:(\w+)/g, (_, name) => given[name] ?? '') + (request.query?.(scene) ?? '')
}

/** Returns a request to an operation by the user of a scene, by default that of the table. */
export async function requestTo(
  stage: Stage,
  scene: Scene,
  { api, operation, route }: DescribedOperation,
  given: OperationRequest = {},
) {
  await operation.before?.(scene)
  if (given.before !== operation.before) await given.before?.(scene)
  const request = { ...operation, ...given }
  const url = await urlOf(stage, scene, route, request)
  const body = await request.body?.(scene)
  const metadata = route.metadata as RouteMetadata
  const token = userTokenOf(metadata) && (request.token ? await request.token(scene) : scene.user.token.jwt)
  const confirmation = request.isConfirmed && (await scene.confirmation())
  const credential = api === 'management' ? stage.key : token
  return {
    method: route.method,
    url,
    headers: {
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...(confirmation && { 'usher-confirmation': confirmation }),
      ...(body && { 'content-type': metadata.lines ? 'application/x-ndjson' : 'application/json' }),
    } as Record<string, string>,
    ...(body && { payload: `${JSON.stringify(body)}\n` }),
  }
}
