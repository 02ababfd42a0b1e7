import { contract } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { newVerifier } from '../../support/login-mail.js'

/** An id that nothing has, so that an admitted request changes nothing. */
export const unknownId = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'

const newPassword = 'four random common words'
const passwordHash = '$2b$04$abcdefghijklmnopqrstuuO4T5kAVz9k3iJnq0ZJ8Q0h7bM1oYyZa'
const passkey = {
  credentialId: 'eQ',
  publicKey:
    'pQECAyYgASFYIK_vr6Fvl8qbLSPrhsy2QJjSDbkIVgYuskmcM6m2cvJt9iJYIJMKVrh6L8pmM0sDRYq_h5cXwSzGjtcykK8uJmR5a5Ig',
  domain: 'example.com',
  userHandle: 'eQ',
  isSynced: true,
}

/** What a body may need. */
export interface Given {
  /** The address of a user. */
  takenEmail: string
  /** Returns the code of a login at a provider that has returned. */
  returnedCode: (challenge: string) => Promise<string>
}

type Body = Record<string, unknown>

/**
 * Bodies of the operations, by name: those that a rule of users checks are valid, and so are those with fields that need more rights.
 * The others are empty. No provider knows the connections.
 */
export const bodies: Readonly<Record<string, (given: Given) => Body | Promise<Body>>> = {
  createUser: ({ takenEmail: email }) => ({ email, password: newPassword }),
  login: ({ takenEmail: email }) => ({ email, password: newPassword }),
  updateMe: () => ({ preferredName: 'Ada' }),
  changePassword: () => ({ newPassword }),
  async linkIdentity({ returnedCode }) {
    const { verifier, challenge } = newVerifier()
    return { verifier, code: await returnedCode(challenge) }
  },
  addTotp: () => ({ challenge: 'none', totp: '000000' }),
  addPasskey: () => ({ passkey: { id: 'eQ', response: { clientDataJSON: 'e30', attestationObject: 'AA' } } }),
  renameFactor: () => ({ name: 'Phone' }),
  setSecondFactor: () => ({ on: true }),
  verifyEmail: () => ({ code: 'none' }),
  requestEmailChange: () => ({ email: 'new@example.com' }),
  createTenant: () => ({ name: 'Looms' }),
  updateTenant: () => ({ name: 'Mills' }),
  changeMember: () => ({ role: 'member' }),
  inviteMember: () => ({ email: 'invited@example.com', role: 'member' }),
  readInvitation: () => ({ code: 'none' }),
  acceptInvitation: () => ({ code: 'none' }),
  changeSso: () => ({ jit: true }),
  addSsoConnection: () => ({ clientId: 'none', issuer: 'https://none.example' }),
  changeSsoConnection: () => ({ title: 'None' }),
  addSsoDomain: () => ({ domain: 'acme.example' }),
  openSsoPortal: () => ({ code: 'none' }),
  routeLogin: ({ takenEmail: email }) => ({ email }),
  addUser: ({ takenEmail: email }) => ({ email }),
  setUserPassword: () => ({ password: newPassword }),
  createUserCode: () => ({ purpose: 'password_reset', deliver: 'mail' }),
  importUsers: ({ takenEmail: email }) => ({ email }),
  checkImport: ({ takenEmail: email }) => ({ email }),
  addTenant: () => ({ name: 'Looms' }),
  addConnection: () => ({ name: 'none', preset: 'none', clientId: 'none' }),
  createDatabase: () => ({ name: 'app' }),
  changeSettings: () => ({ settings: {} }),
  rotateApiKey: () => ({ overlapHours: 1 }),
  retryDeliveries: () => ({ id: unknownId }),
  dropDeliveries: () => ({ id: unknownId }),
  createApiKey: () => ({ name: 'backend', scopes: ['users:read'], expiresInDays: 1 }),
}

const profile = { preferredName: ['Ada'], locale: ['de'] }
const productFields = { externalId: ['ada'], metadata: [{}], privateMetadata: [{}] }
const connectionFields = {
  title: ['None'],
  scopes: [['openid']],
  audiences: [['none']],
  linkByEmail: [true, false],
  trustEmail: [true, false],
  teamId: ['none'],
  keyId: ['none'],
  secret: ['none'],
}
const ssoConnectionFields = {
  secret: ['none'],
  tid: [unknownId],
  hd: ['acme.example'],
  title: ['None'],
  scopes: [['openid']],
}
const lineFields = {
  id: [unknownId],
  passwordHash: [passwordHash],
  ...profile,
  ...productFields,
  tenants: [[], [{ name: 'Looms' }]],
  identities: [[{ connection: 'acme', subject: 'ada' }]],
  totp: [[{ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }]],
  passkeys: [[passkey]],
  emailVerifiedAt: ['2026-01-01T00:00:00Z'],
  disabledAt: ['2026-01-01T00:00:00Z'],
  createdAt: ['2026-01-01T00:00:00Z'],
}

/** Values of fields, by operation, each sent in a request of its own. A test fails if an optional field is missing. */
export const fieldValues: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  addUser: {
    ...profile,
    ...productFields,
    password: [newPassword],
    passwordHash: [passwordHash],
    emailVerified: [true, false],
    tenants: [[], [{ id: unknownId }]],
    sendMail: [true, false],
  },
  changeUser: {
    ...profile,
    ...productFields,
    email: ['new@example.com'],
    emailUndo: [true, false],
    emailVerified: [true, false],
    disabled: [true, false],
  },
  createUserCode: { purpose: ['email_verification'], deliver: ['return'] },
  importUsers: lineFields,
  checkImport: lineFields,
  addTenant: { ...productFields, seats: [1] },
  changeTenant: { name: ['Looms'], ...productFields, seats: [1] },
  putMember: { role: ['member', 'owner'] },
  inviteMember: { role: ['owner'] },
  changeSso: {
    required: [true, false],
    exempt: [[]],
    maxAge: [86_400],
    acr: ['aal2'],
    trustAmr: [true, false],
    jit: [true, false],
    defaultRole: ['member'],
  },
  addSsoConnection: {
    ...ssoConnectionFields,
    id: [unknownId],
    issuer: ['https://none.example'],
    preset: ['oidc'],
  },
  changeSsoConnection: {
    ...ssoConnectionFields,
    clientId: ['none'],
    issuer: ['https://none.example'],
    isEnabled: [true, false],
  },
  createSsoPortal: { mayRequire: [true, false] },
  changeMailSettings: {
    appName: ['Looms'],
    mailSender: ['accounts@example.com', null],
    mailReplyTo: [null],
    mailLogoUrl: [null],
    mailColor: [null],
    mailLocale: ['en'],
    mailTemplates: [[], [{ name: 'email_changed', locale: 'fi', text: null }]],
  },
  addConnection: { ...connectionFields, preset: ['oidc'], issuer: ['https://none.example'] },
  changeConnection: { ...connectionFields, clientId: ['none'], isEnabled: [true, false] },
  rotateKeys: { activateInSeconds: [604_800, 3_600, 3_599, 0] },
  createApiKey: {
    scopes: [['credentials:write'], ['events:read']],
    expiresInDays: [1],
    expiresInSeconds: [60],
  },
  rotateApiKey: { overlapHours: [1], overlapSeconds: [0] },
  createDatabase: {
    settings: [{}, { signUp: false }, { appUrl: 'https://app.example.com' }],
    mails: [{ appName: 'Looms' }],
  },
  changeSettings: {
    mails: [{ appName: 'Looms' }],
    force: [true, false],
    newWebhookSecret: [true, false],
  },
}

/** An operation of a contract. */
export interface Operation {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  isLines: boolean
  /** Fields of the body that may be absent. */
  optional: string[]
}

type Schema = { isOptional(): boolean }
type Shaped = { shape?: Record<string, Schema> } | undefined
type Route = Pick<Operation, 'method' | 'path'> & { body?: Shaped; metadata?: { lines?: { each: Shaped } } }

const operationsOf = (api: object): Operation[] =>
  Object.values(api).flatMap((routes) =>
    Object.entries(routes as Record<string, Route>).map(([name, { method, path, body, metadata }]) => {
      const { shape = {} } = metadata?.lines?.each ?? body ?? {}
      const optional = Object.keys(shape).filter((field) => shape[field]?.isOptional())
      return { name, method, path, isLines: metadata?.lines !== undefined, optional }
    }),
  )

/** The operations of the contracts. */
export const operations = {
  public: operationsOf(contract),
  management: operationsOf(managementContract),
  operator: operationsOf(operatorContract),
}

/** Returns the fields of an operation with their values, and the names of those rows. */
export const fieldsOf = (of: readonly Operation[]) =>
  of.flatMap((operation) =>
    Object.entries(fieldValues[operation.name] ?? {}).flatMap(([field, values]) =>
      values.map((value) => ({
        operation,
        field,
        value,
        row: `${operation.name} ${field}: ${textOf(value)}`,
      })),
    ),
  )

const textOf = (value: unknown) => {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 38)}…` : text
}
