import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract, type ProblemCode } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import type { eventTypes } from '../../server/domain/events/events.js'
import { bystander } from '../store/bystanders.js'
import { password, validUser } from './app.js'
import { newVerifier } from './login-mail.js'
import type { Scene } from './scene.js'

type NamesOf<Api> = { [Noun in keyof Api]: keyof Api[Noun] }[keyof Api] & string

/** A request to an operation. The scene is its own. Everything else follows from the contract. */
export interface OperationRequest {
  /** Runs before. */
  before?: (scene: Scene) => Promise<unknown>
  /** Parameters of the path that differ from those of the scene. */
  params?: (scene: Scene) => object | Promise<object>
  query?: (scene: Scene) => string
  body?: (scene: Scene) => object | Promise<object>
  /** Whether it has a confirmation in its header. */
  isConfirmed?: boolean
  /** The access token, by default that of the user of the scene. */
  token?: (scene: Scene) => string | Promise<string>
}

/** How an operation is called with success, and what tests derive from that. */
export interface Operation extends OperationRequest {
  /** The least role in the tenant, if it is not `member`. */
  role?: 'admin' | 'owner'
  /** Types of the events that it causes. Default: none. */
  changes?: (keyof typeof eventTypes)[]
  /** Further requests, with the problem that they cause. Default: none. They are sent so that their statements run. */
  also?: (OperationRequest & { problem?: ProblemCode })[]
}

const ofFactor = async ({ factor }: Scene) => (await factor()).token.jwt
const confirmed = async ({ factor }: Scene) => (await factor()).confirmed

const wrong = { email: 'nobody@example.com', password: 'wrong password' }
const newPassword = `new ${password}`
const ofTenant = ({ tenantId }: Scene) => ({ tenants: [{ id: tenantId }] })
const refreshToken = async ({ session }: Scene) => ({ refreshToken: (await session()).refreshToken.value })
const newEmail = ({ user }: Scene) => `new-${user.email}`
const own = ({ user }: Scene) => ({ userId: user.id })
const invited = async (scene: Scene) => ({
  ...validUser({ email: scene.invitedEmail }),
  invitationCode: await scene.mailedCode('inviteMember', 'invitation'),
})
/** Changes the verified address. Returns the code to undo that. */
const undoCode = async (scene: Scene) => {
  await scene.verify(scene.user.email)
  const code = await scene.mailedCode('requestEmailChange', 'change-email')
  return scene.mailedCode('changeEmail', 'undo-email-change', { body: () => ({ code }) })
}

/** A change that an owner confirms. */
const byOwner = { role: 'owner', isConfirmed: true } as const

/** One row an operation of the API. A test fails if one is missing. */
export const operations: Record<NamesOf<typeof contract>, Operation> = {
  createUser: {
    body: () => validUser({ newTenant: 'Engines' }),
    changes: ['user.created', 'tenant.created', 'tenant.user_added'],
    also: [
      { body: () => validUser() },
      { body: invited },
      { before: (scene) => scene.setSeats(10), body: invited },
      { body: async (scene) => ({ ...(await invited(scene)), newTenant: 'Looms' }) },
      { body: ({ user: { email } }) => validUser({ email }), problem: 'email_taken' },
    ],
  },
  login: {
    body: ({ user: { email } }) => ({ email, password }),
    also: [
      ...Array.from({ length: 5 }, () => ({ body: () => wrong, problem: 'invalid_credentials' as const })),
      { body: () => wrong, problem: 'too_many_attempts' },
      { body: ({ user: { email } }) => ({ ...wrong, email }), problem: 'invalid_credentials' },
      { before: (scene) => scene.failLogins(1), body: ({ user: { email } }) => ({ email, password }) },
    ],
  },
  requestLoginCode: {
    body: ({ user: { email } }) => ({ email, challenge: newVerifier().challenge }),
    also: [{ body: () => ({ email: wrong.email, challenge: newVerifier().challenge }) }],
  },
  finishLogin: {
    body: async (scene) => scene.startedLogin(scene.user.email),
    changes: ['user.email_verified', 'user.reclaimed'],
    also: [
      {
        body: async (scene) => ({ ...(await scene.startedLogin(scene.invitedEmail)), newTenant: 'Engines' }),
      },
      // A known identity, one of an account with its address, and one that signs up.
      {
        body: async ({ linked, returned, user: { id } }) => {
          await linked()
          return returned({ subject: `linked-${id}` })
        },
      },
      { body: ({ returned, user: { id, email } }) => returned({ subject: `known-${id}`, email }) },
      { body: ({ returned, user: { id, email } }) => returned({ subject: id, email: `idp-${email}` }) },
      {
        body: async (scene) => ({
          ...(await scene.startedLogin(`digits-${scene.user.email}`)),
          code: undefined,
        }),
      },
      {
        body: async (scene) => ({
          ...(await scene.startedLogin(`wrong-${scene.user.email}`)),
          code: undefined,
          digits: '000000',
        }),
        problem: 'code_invalid',
      },
    ],
  },
  addTenantProof: {
    body: async ({ connection, returned, user: { id: subject, email } }) => {
      const { id, issuer } = await connection()
      return returned({ connection: id, issuer, subject, email })
    },
  },
  listConnections: {},
  startLogin: {
    body: () => ({ connection: 'github', challenge: newVerifier().challenge }),
    also: [
      {
        body: () => ({ connection: 'none', challenge: newVerifier().challenge }),
        problem: 'connection_not_found',
      },
    ],
  },
  loginWithIdToken: {
    body: async ({ linked, token, user: { id } }) => {
      await linked()
      return token({ sub: `linked-${id}` })
    },
    also: [
      { body: ({ token, user: { id, email } }) => token({ sub: id, email: `token-${email}` }) },
      {
        body: async ({ token, user: { id } }) => ({ ...(await token({ sub: id })), idToken: 'none' }),
        problem: 'code_invalid',
      },
    ],
  },
  getMe: {
    also: [
      { token: async ({ session }) => (await session()).token.jwt },
      { token: () => 'no.token.this', problem: 'token_invalid' },
    ],
  },
  updateMe: { body: () => ({ preferredName: 'Ada', locale: 'de' }), changes: ['user.updated'] },
  openSession: {},
  refreshSession: {
    body: refreshToken,
    also: [{ before: (scene) => scene.refreshTwice(), body: refreshToken, problem: 'session_ended' }],
  },
  endSession: { body: refreshToken },
  listSessions: {},
  endAllSessions: {},
  endOtherSessions: { token: async ({ session }) => (await session()).token.jwt },
  endSessionById: { also: [{ params: () => ({ sessionId: bystander.sessionId }) }] },
  listIdentities: {},
  linkIdentity: {
    body: async ({ returned, user: { id } }) => ({ ...(await returned({ subject: id })), password }),
    changes: ['user.identity_linked'],
    also: [
      {
        body: async ({ returned, linked }) => {
          await linked()
          return { ...(await returned()), password }
        },
        problem: 'already_linked',
      },
    ],
  },
  unlinkIdentity: { body: () => ({ password }), changes: ['user.identity_unlinked'] },
  verifySecondFactor: {
    body: ({ secondStep }) => secondStep(),
    also: [
      {
        body: async (scene) => ({
          challenge: (await scene.secondStep()).challenge,
          recoveryCode: (await scene.factor()).recoveryCodes?.[0],
        }),
      },
      {
        body: async ({ secondStep }) => ({ ...(await secondStep()), totp: '000000' }),
        problem: 'second_factor_invalid',
      },
      {
        before: (scene) => scene.failSecondSteps(),
        body: ({ secondStep }) => secondStep(),
        problem: 'too_many_attempts',
      },
    ],
  },
  beginPasskeyLogin: {},
  loginWithPasskey: {
    body: ({ assertion }) => assertion(),
    also: [
      {
        body: async ({ assertion }) => ({ passkey: { ...(await assertion()).passkey, id: 'unknown' } }),
        problem: 'passkey_unknown',
      },
    ],
  },
  enrolPasskey: { before: ({ verify, user }) => verify(user.email), body: () => ({ password }) },
  addPasskey: {
    before: ({ verify, user }) => verify(user.email),
    body: async ({ enrolled, user }) => (await enrolled({ jwt: user.token.jwt, confirmed: {} })).body,
    changes: ['user.factor_added'],
  },
  beginStepUp: { also: [{ token: ofFactor }] },
  stepUp: {
    body: () => ({ password }),
    also: [
      {
        token: ofFactor,
        body: async (scene) => scene.provenBy(await ofFactor(scene)),
      },
      {
        token: ofFactor,
        body: async (scene) => ({ recoveryCode: (await scene.factor()).recoveryCodes?.[1] }),
      },
    ],
  },
  listFactors: {},
  enrolTotp: {
    before: ({ verify, user }) => verify(user.email),
    body: () => ({ password }),
    also: [{ token: async (scene) => (await scene.signedUp()).token.jwt, problem: 'email_not_verified' }],
  },
  addTotp: { body: ({ enrolment }) => enrolment(), changes: ['user.factor_added'] },
  renameFactor: { token: ofFactor, body: () => ({ name: 'Phone' }) },
  removeFactor: { token: ofFactor, body: confirmed, changes: ['user.factor_removed'] },
  setSecondFactor: { token: ofFactor, body: async (scene) => ({ on: false, ...(await confirmed(scene)) }) },
  createRecoveryCodes: { token: ofFactor, body: confirmed },
  changePassword: { body: () => ({ password, newPassword }), changes: ['user.password_changed'] },
  deleteMe: {
    body: () => ({ password }),
    changes: ['tenant.deleted', 'user.deleted'],
    also: [{ before: (scene) => scene.member(), body: () => ({ password }), problem: 'last_owner' }],
  },
  requestPasswordReset: { body: ({ user: { email } }) => ({ email }) },
  resetPassword: {
    body: async (scene) => ({
      code: await scene.mailedCode('requestPasswordReset', 'reset-password'),
      newPassword,
    }),
    changes: ['user.email_verified', 'user.password_changed', 'user.reclaimed'],
  },
  requestEmailVerification: {
    also: [{ before: ({ call }) => call('requestEmailVerification'), problem: 'too_many_mails' }],
  },
  verifyEmail: {
    body: async (scene) => ({ code: await scene.mailedCode('requestEmailVerification', 'verify-email') }),
    changes: ['user.email_verified'],
  },
  requestEmailChange: {
    body: (scene) => ({ email: newEmail(scene), password }),
    also: [{ body: async (scene) => ({ email: (await scene.signedUp()).email, password }) }],
  },
  changeEmail: {
    body: async (scene) => ({ code: await scene.mailedCode('requestEmailChange', 'change-email') }),
    changes: ['user.email_changed', 'user.email_verified'],
  },
  undoEmailChange: {
    body: async (scene) => ({ code: await undoCode(scene) }),
    changes: ['user.email_change_undone', 'user.email_verified'],
    also: [{ body: () => ({ code: 'none' }), problem: 'code_invalid' }],
  },
  createTenant: { body: () => ({ name: 'Looms' }), changes: ['tenant.created', 'tenant.user_added'] },
  getTenant: { also: [{ params: () => ({ tenantId: crypto.randomUUID() }), problem: 'tenant_not_found' }] },
  updateTenant: { role: 'admin', body: () => ({ name: 'Mills' }), changes: ['tenant.updated'] },
  deleteTenant: { role: 'owner', changes: ['tenant.deleted', 'tenant.user_removed'] },
  listMembers: {
    also: [
      { query: ({ user: { id } }) => `?limit=1&after=${id}` },
      { query: ({ user: { email } }) => `?search=${encodeURIComponent(email)}` },
    ],
  },
  changeMember: {
    role: 'admin',
    body: () => ({ role: 'billing' }),
    changes: ['tenant.role_changed'],
    also: [{ body: () => ({ role: 'owner' }) }],
  },
  removeMember: {
    role: 'admin',
    changes: ['tenant.user_removed'],
    also: [{ params: own }, { before: (scene) => scene.member(), params: own, problem: 'last_owner' }],
  },
  inviteMember: {
    role: 'admin',
    before: (scene) => scene.verify(scene.user.email),
    body: ({ invitedEmail: email }) => ({ email, role: 'member' }),
    changes: ['invitation.created'],
    also: [
      {
        before: async ({ call }) => {
          for (let count = 0; count < 5; count++) await call('inviteMember')
        },
        body: ({ invitedEmail: email }) => ({ email, role: 'member' }),
        problem: 'too_many_invitations',
      },
    ],
  },
  listInvitations: { role: 'admin', before: ({ call }) => call('inviteMember') },
  revokeInvitation: { role: 'admin', changes: ['invitation.revoked'] },
  readInvitation: {
    body: async (scene) => ({ code: await scene.mailedCode('inviteMember', 'invitation') }),
    also: [{ body: () => ({ code: 'none' }), problem: 'code_invalid' }],
  },
  acceptInvitation: {
    before: (scene) => scene.setSeats(10),
    token: async (scene) => {
      const { token, email } = await scene.signedUp(scene.invitedEmail)
      await scene.verify(email)
      return token.jwt
    },
    body: async (scene) => ({ code: await scene.mailedCode('inviteMember', 'invitation') }),
    changes: ['invitation.accepted', 'tenant.user_added'],
    also: [{ body: () => ({ code: 'none' }), problem: 'code_invalid' }],
  },
  getSso: { role: 'owner' },
  changeSso: {
    ...byOwner,
    body: () => ({ jit: false, exempt: [] }),
    changes: ['sso.changed'],
    also: [{ body: () => ({ required: true }), problem: 'no_exempt_owner' }],
  },
  addSsoConnection: {
    ...byOwner,
    body: () => ({ issuer: 'https://idp.example', clientId: 'app', secret: 'secret' }),
    changes: ['sso.changed'],
  },
  changeSsoConnection: {
    ...byOwner,
    body: () => ({ clientId: 'other', secret: 'secret' }),
    changes: ['sso.changed'],
  },
  removeSsoConnection: {
    ...byOwner,
    changes: ['sso.changed'],
  },
  checkSsoConnection: { role: 'owner' },
  addSsoDomain: {
    ...byOwner,
    body: ({ tenantId }) => ({ domain: `new-${tenantId}.example` }),
    changes: ['sso.changed'],
  },
  removeSsoDomain: {
    ...byOwner,
    changes: ['sso.changed'],
  },
  checkSsoDomain: {
    ...byOwner,
    changes: ['sso.domain_proven'],
    also: [{ params: () => ({ domain: 'none.example' }), problem: 'domain_not_found' }],
  },
  listSsoEntries: { role: 'owner', also: [{ query: ({ user: { id } }) => `?after=${id}` }] },
  removeSsoEntry: { ...byOwner, changes: ['sso.entry_ended'] },
  openSsoPortal: {
    body: async (scene) => ({ code: await scene.portalCode() }),
    also: [{ body: () => ({ code: 'none' }), problem: 'code_invalid' }],
  },
  routeLogin: { body: ({ user: { email } }) => ({ email }) },
  getFeatures: {},
  getWork: {},
  getKeySet: {},
  getIssuerMetadata: {},
  getAuthorizationServerMetadata: {},
  getAuthorizationServerMetadataOfIssuer: {},
  getHealth: {},
  getReadiness: {},
  getOpenApiDocument: {},
  getOpenApi30Document: {},
  getProblemType: { params: () => ({ code: 'email_taken' }) },
}

/** One row an operation of the management API. A test fails if one is missing. */
export const managementOperations: Record<NamesOf<typeof managementContract>, Operation> = {
  listUsers: {
    also: [
      () => '?disabled=true',
      () => '?secondFactor=true',
      () => '?externalId=ada',
      ({ user }: Scene) => `?ids=${user.id}`,
      ({ user }: Scene) => `?email=${user.email}`,
      () => '?emailPrefix=user',
      () => '?namePrefix=ada',
      () => '?order=email',
      () => '?order=-email',
      () => '?order=createdAt',
      () => '?order=-createdAt',
      ({ tenantId }: Scene) => `?tenant=${tenantId}`,
      ({ user }: Scene) => `?after=${user.id}`,
    ].map((query) => ({ query })),
  },
  addUser: {
    body: (scene) => ({ ...ofTenant(scene), email: newEmail(scene), password }),
    changes: ['user.created', 'tenant.user_added'],
    also: [
      { body: (scene) => ({ email: newEmail(scene), sendMail: true }) },
      { body: ({ user: { email } }) => ({ email }), problem: 'email_taken' },
    ],
  },
  getUser: { also: [{ before: (scene) => scene.failLogins(6), params: own }] },
  changeUser: {
    body: () => ({ preferredName: 'Ada', emailVerified: true }),
    changes: ['user.updated', 'user.email_verified'],
    also: [
      { body: (scene) => ({ email: newEmail(scene) }) },
      { params: own, before: (scene) => undoCode(scene), body: () => ({ emailUndo: false }) },
      { body: () => ({ disabled: true }) },
      {
        before: ({ callManagement }) => callManagement('changeUser', { body: () => ({ disabled: true }) }),
        body: () => ({ disabled: false }),
      },
    ],
  },
  removeUser: { changes: ['user.deleted'] },
  setUserPassword: { body: () => ({ password: newPassword }), changes: ['user.password_changed'] },
  unlockUser: { also: [{ before: (scene) => scene.failLogins(6), params: own }] },
  listUserSessions: { params: own },
  listUserIdentities: { params: own },
  removeUserIdentity: { changes: ['user.identity_unlinked'] },
  listUserFactors: { params: own },
  removeUserFactors: {
    before: ({ factor }) => factor(),
    params: own,
    changes: ['user.factor_removed'],
    also: [{}],
  },
  endUserSessions: { params: own },
  createUserCode: {
    body: () => ({ purpose: 'password_reset', deliver: 'return' }),
    also: [{ body: () => ({ purpose: 'email_verification', deliver: 'mail' }) }],
  },
  checkImport: { body: (scene) => ({ email: newEmail(scene) }) },
  importUsers: {
    body: (scene) => ({ email: newEmail(scene) }),
    also: [
      {
        body: (scene) => ({
          email: newEmail(scene),
          identities: [{ connection: 'acme', subject: scene.user.id }],
          totp: [{ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }],
        }),
      },
    ],
  },
  listTenants: {
    also: [
      { query: ({ tenantId }) => `?after=${tenantId}` },
      { query: () => '?externalId=looms' },
      { query: () => '?namePrefix=loo' },
    ],
  },
  addTenant: {
    body: ({ tenantId }) => ({ name: 'Looms', externalId: tenantId }),
    changes: ['tenant.created'],
  },
  getTenant: {},
  changeTenant: { body: () => ({ name: 'Mills', metadata: { plan: 'pro' } }), changes: ['tenant.updated'] },
  removeTenant: { changes: ['tenant.deleted', 'tenant.user_removed'] },
  listMembers: { also: [{ query: ({ user: { id } }) => `?after=${id}` }] },
  putMember: {
    params: async (scene) => ({ userId: (await scene.signedUp()).id }),
    changes: ['tenant.user_added'],
    also: [{ body: () => ({ role: 'admin' }) }],
  },
  removeMember: { changes: ['tenant.user_removed'] },
  listInvitations: { also: [{ query: ({ user: { id } }) => `?after=${id}` }] },
  inviteMember: {
    body: ({ invitedEmail: email }) => ({ email, role: 'admin' }),
    changes: ['invitation.created'],
  },
  revokeInvitation: { changes: ['invitation.revoked'] },
  getSso: {},
  changeSso: {
    body: () => ({ jit: false, exempt: [] }),
    changes: ['sso.changed'],
    also: [
      { body: () => ({ required: true }), problem: 'no_exempt_owner' },
      {
        before: (scene) => scene.readyToRequire(),
        body: ({ user: { id } }) => ({ required: true, exempt: [id] }),
      },
    ],
  },
  addSsoConnection: {
    body: () => ({ issuer: 'https://idp.example', clientId: 'app', secret: 'secret' }),
    changes: ['sso.changed'],
    also: [{ body: () => ({ issuer: 'https://idp.example', clientId: 'other' }) }],
  },
  changeSsoConnection: {
    body: () => ({ clientId: 'other', secret: 'secret' }),
    changes: ['sso.changed'],
  },
  removeSsoConnection: { changes: ['sso.changed'] },
  checkSsoConnection: {},
  addSsoDomain: {
    body: ({ tenantId }) => ({ domain: `new-${tenantId}.example` }),
    changes: ['sso.changed'],
    also: [{ body: () => ({ domain: 'other.example' }) }],
  },
  removeSsoDomain: { changes: ['sso.changed'] },
  checkSsoDomain: {
    changes: ['sso.domain_proven'],
    also: [{ params: () => ({ domain: 'none.example' }), problem: 'domain_not_found' }],
  },
  listSsoEntries: { also: [{ query: ({ user: { id } }) => `?after=${id}` }] },
  removeSsoEntry: { changes: ['sso.entry_ended'] },
  createSsoPortal: { body: () => ({ mayRequire: true }), also: [{ body: () => ({ mayRequire: false }) }] },
  getMailSettings: {},
  changeMailSettings: {
    body: () => ({
      appName: 'Weavers',
      mailTemplates: [{ name: 'email_changed', locale: 'fi', text: 'Subject: Hei\n\n{{email}}' }],
    }),
    also: [{ body: () => ({ mailTemplates: [{ name: 'email_changed', locale: 'fi', text: null }] }) }],
  },
  listEvents: {},
  listRevocations: {},
  getOpenApiDocument: {},
  getOpenApi30Document: {},
}

export type OperationName = keyof typeof operations
export type ManagementOperationName = keyof typeof managementOperations

/** A row of a table with its route. */
export interface DescribedOperation {
  api: 'api' | 'management'
  name: string
  route: AppRoute
  operation: Operation
}

const described = (api: DescribedOperation['api'], router: AppRouter, rows: Record<string, Operation>) =>
  Object.values<AppRouter>(router as Record<string, AppRouter>).flatMap((noun) =>
    Object.entries(noun).flatMap(([name, route]): DescribedOperation[] =>
      isAppRoute(route) ? [{ api, name, route, operation: rows[name] ?? {} }] : [],
    ),
  )

/** All operations of both contracts. */
export const everyOperation = [
  ...described('api', contract, operations),
  ...described('management', managementContract, managementOperations),
]
