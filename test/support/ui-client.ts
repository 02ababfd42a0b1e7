import { createClient, endpoints } from '../../sdk/client.js'
import type { Endpoint } from '../../sdk/endpoint.js'
import type { Operations } from '../../sdk/endpoints.js'

export type OperationName = keyof Operations

/** What a stub of the server sends. */
export type Reply = { status: number; body: object }

const encoded = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '')
const jwt = `${encoded({ alg: 'none' })}.${encoded({ sub: 'ada', exp: 4_102_444_800 })}.x`
const login = '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03'
/** What follows `#` after a login at a provider. */
export const returnedLink = `#code=${login}.secret`

const time = '2026-11-27T09:30:00.000Z'
const token = { jwt, maxAge: 3600, type: 'ACCESS_TOKEN' }
const confirmation = { value: 'confirmation', maxAge: 300 }
const user = { id: 'ada', tenants: ['engines'], token, confirmation }
const options = {
  challenge: 'AAAA',
  rpId: 'localhost',
  timeout: 1000,
  userVerification: 'preferred',
  allowCredentials: [],
}
const membership = { id: 'engines', name: 'Engines', role: 'owner', joinedAt: time, metadata: null }
const invitation = {
  id: 'i',
  email: 'grace@example.com',
  role: 'member',
  inviterId: null,
  createdAt: time,
  expiresAt: time,
}
const added = {
  ...user,
  factor: { id: 'f', kind: 'totp', name: null, createdAt: time, lastUsedOn: null },
  recoveryCodes: ['AAAA-BBBB'],
}
const ssoConnection = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a08',
  title: 'Okta',
  preset: 'okta',
  issuer: 'https://acme.okta.com',
  clientId: '0oa4711',
  hd: null,
  scopes: [],
  isEnabled: true,
  hasSecret: true,
  callbackUrl:
    'https://auth.example.com/workspaces/demo/databases/app/connections/01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a08/callback',
  createdAt: time,
  testedAt: time,
}
const roles = (['owner', 'admin', 'member'] as const).map((name) => ({ name, rights: name }))

/** The body of a success of each operation that the elements call. */
const bodies: Partial<Record<OperationName, object>> = {
  features: {
    signUp: true,
    password: { min: 8, max: 256 },
    accountOperations: true,
    tenantOperations: true,
    verifyEmailWithToken: true,
    loginMail: 'both',
    secondFactor: 'optional',
    passkeys: true,
    singleSignOn: true,
    ssoRouting: true,
    roles,
  },
  listConnections: {
    connections: [
      { name: 'google', title: 'Google', preset: 'google' },
      { name: 'github', title: 'GitHub', preset: 'github' },
    ],
  },
  me: {
    id: 'ada',
    email: 'ada@example.com',
    preferredName: 'Ada',
    locale: null,
    emailVerified: false,
    tenants: ['engines'],
    memberships: [membership, { ...membership, id: 'looms', name: 'Looms' }],
    metadata: null,
    createdAt: time,
  },
  createUser: user,
  login: user,
  finishLogin: { ...user, isNewUser: false },
  resetPassword: user,
  loginWithPasskey: user,
  verifySecondFactor: user,
  stepUp: user,
  openSession: { ...user, refreshToken: { value: 'session.secret', maxAge: 3600, type: 'REFRESH_TOKEN' } },
  routeLogin: { connection: null },
  requestLoginCode: { login, expiresAt: time },
  startLogin: { login, url: 'https://provider.example', state: 's', nonce: 'n', expiresAt: time },
  beginPasskeyLogin: { options },
  beginStepUp: { methods: ['totp', 'recoveryCode'] },
  enrolTotp: { challenge: 'c', secret: 'AAAABBBB', uri: 'otpauth://totp/a', expiresAt: time },
  addTotp: added,
  addPasskey: added,
  enrolPasskey: {
    options: {
      challenge: 'AAAA',
      rp: { id: 'localhost', name: 'Example' },
      user: { id: 'AAAA', name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [],
      timeout: 1000,
      excludeCredentials: [],
    },
  },
  listFactors: {
    factors: [added.factor],
    recoveryCodes: 8,
    hasPassword: true,
    secondFactor: { on: true, dueAt: null },
  },
  createRecoveryCodes: { codes: ['AAAA-BBBB'] },
  listSessions: {
    sessions: [
      { id: 'here', createdAt: time, refreshedAt: time, label: null, current: true },
      { id: 'there', createdAt: time, refreshedAt: time, label: 'Phone', current: false },
    ],
  },
  listIdentities: { identities: [{ id: 'g', connection: 'google', email: null, linkedAt: time }] },
  unlinkIdentity: user,
  removeFactor: user,
  setSecondFactor: user,
  changePassword: user,
  acceptInvitation: { tenantId: 'engines', role: 'member', joinedAt: time, token },
  createTenant: {
    id: 'engines',
    name: 'Engines',
    role: 'owner',
    seats: null,
    metadata: null,
    createdAt: time,
  },
  verifyEmail: { email: 'ada@example.com' },
  changeEmail: { email: 'ada@example.com' },
  listMembers: {
    members: [
      { id: 'grace', email: 'grace@example.com', preferredName: null, role: 'member', joinedAt: time },
    ],
    next: 'grace',
  },
  readInvitation: {
    tenantName: 'Engines',
    inviterName: 'Ada',
    role: 'member',
    email: 'grace@example.com',
    expiresAt: time,
  },
  listInvitations: { invitations: [invitation] },
  sso: {
    required: false,
    requiredSince: null,
    exempt: [],
    maxAge: 2_592_000,
    acr: null,
    trustAmr: false,
    jit: true,
    defaultRole: 'member',
    callbackUrl: 'https://auth.example.com/workspaces/demo/databases/app/connections/{id}/callback',
    connections: [ssoConnection],
    domains: [
      {
        domain: 'acme.example',
        state: 'pending',
        record: {
          type: 'TXT',
          name: '_usher.acme.example',
          value: 'usher=0123456789abcdef0123456789abcdef',
        },
        createdAt: time,
        provenAt: null,
        missingSince: null,
        expiresAt: time,
      },
    ],
  },
  changeSsoConnection: ssoConnection,
  listSsoEntries: {
    entries: [
      {
        id: 'e',
        userId: 'grace',
        connectionId: ssoConnection.id,
        issuer: ssoConnection.issuer,
        subject: '00u4711',
        email: 'grace@acme.example',
        name: 'Grace',
        linkedAt: time,
      },
    ],
    next: null,
  },
  inviteMember: invitation,
  updateTenant: {
    id: 'engines',
    name: 'Engines',
    role: 'owner',
    seats: null,
    metadata: null,
    createdAt: time,
  },
}

const operationOf = (method: string, path: string) =>
  Object.entries<Endpoint>(endpoints).find(
    ([, each]) =>
      each.method === method && new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )?.[0] as OperationName

/**
 * Creates a client of a server that always succeeds, and a list of the operations that were called.
 *
 * @param replyOf replaces the response of an operation
 */
export function createStubClient(
  { isLoggedIn = false }: { isLoggedIn?: boolean } = {},
  replyOf: (operation: OperationName, body: object) => Reply | undefined = () => undefined,
) {
  const called: OperationName[] = []
  const client = createClient({
    baseUrl: 'http://localhost:3000',
    workspace: 'demo',
    database: 'app',
    ...(isLoggedIn && { token: jwt }),
    async fetch(url: string, { method, body: sent }: { method: string; body?: string }) {
      const path = new URL(url).pathname.replace('/workspaces/demo/databases/app', '')
      const operation = operationOf(method, path)
      called.push(operation)
      const { status, body } = replyOf(operation, JSON.parse(sent ?? '{}')) ?? {
        status: endpoints[operation].status,
        body: bodies[operation] ?? {},
      }
      return {
        ok: status < 400,
        status,
        headers: { get: () => null },
        text: async () => JSON.stringify(body),
      }
    },
    retries: 0,
  } as never)
  return { client, called }
}

/** Returns the response of a problem. */
export const problemReply = (code: string, more: object = {}): Reply => ({
  status: code === 'unavailable' ? 503 : 400,
  body: { type: `#${code}`, title: code, detail: code, status: 400, code, requestId: 'r', ...more },
})
