import { randomUUID } from 'node:crypto'
import type {
  ApiKeyInfo,
  ConnectionDetails,
  DayStatistics,
  Delivery,
  Operator,
  OperatorAction,
  SettingInfo,
  SigningKeyInfo,
} from '@usher/contract/operator'

/** What the stub of the operator API knows. */
export interface Memory {
  now(): number
  /** By workspace: its databases, and when they were created. */
  workspaces: Map<string, { createdAt: string; databases: Map<string, StubDatabase> }>
  operators: Map<string, Operator>
  actions: OperatorAction[]
}

export interface StubDatabase {
  createdAt: string
  deletions: number
  days: DayStatistics[]
  users: number
  settings: SettingInfo[]
  keys: SigningKeyInfo[]
  apiKeys: ApiKeyInfo[]
  connections: ConnectionDetails[]
  deliveries: Delivery[]
}

const day = 86_400_000
export const timeOf = (ms: number) => new Date(ms).toISOString()
export const dateOf = (ms: number) => timeOf(ms).slice(0, 10)

type Described = Pick<SettingInfo, 'name' | 'label' | 'description' | 'kind'> & Partial<SettingInfo>

const described: Described[] = [
  {
    name: 'passwordPolicy',
    label: 'password policy',
    description: 'Rules for new passwords',
    kind: 'choice',
    choices: ['standard', 'nist'],
    value: 'standard',
  },
  {
    name: 'signUp',
    label: 'sign-up',
    description: 'Whether anybody can sign up',
    kind: 'switch',
    value: true,
  },
  {
    name: 'accountOperations',
    label: 'account operations',
    description: 'Whether users can change their account',
    kind: 'switch',
    value: true,
  },
  {
    name: 'signUpsPerHour',
    label: 'sign-ups',
    description: 'Sign-ups of a network in an hour',
    kind: 'number',
    min: 0,
    max: 100_000,
    value: 100,
  },
  {
    name: 'secondFactor',
    label: 'second factor',
    description: 'Whether users may or must have one',
    kind: 'choice',
    choices: ['off', 'optional', 'required'],
    value: 'optional',
    confirms: true,
  },
  {
    name: 'tokenMaxAge',
    label: 'token lifetime',
    description: 'Seconds for which an access token is valid',
    kind: 'number',
    min: 60,
    max: 86_400,
    value: null,
  },
  {
    name: 'sessionIdle',
    label: 'session idle time',
    description: 'Days without a refresh after which a session ends',
    kind: 'number',
    min: 1,
    max: 365,
    value: 14,
  },
  { name: 'claims', label: 'fixed claims', description: 'Claims of every token', kind: 'json', value: null },
  {
    name: 'tenantOperations',
    label: 'tenant operations',
    description: 'Whether users can create tenants and invite',
    kind: 'switch',
    value: true,
  },
  {
    name: 'roles',
    label: 'roles',
    description: 'Roles of members beside owner, admin and member',
    kind: 'list',
    value: ['billing'],
  },
  {
    name: 'appUrl',
    label: 'app',
    description: 'The app to which the links in mails lead',
    kind: 'text',
    value: 'https://app.acme.example',
    confirms: true,
  },
  {
    name: 'webhookUrl',
    label: 'webhook',
    description: 'Where events are sent',
    kind: 'text',
    value: null,
    confirms: true,
  },
]
const changed: Record<string, unknown> = { roles: [], appUrl: null, secondFactor: 'off' }

/** Returns counts that look like those of a product in use. The same each time. */
function daysOf(now: number, scale: number): DayStatistics[] {
  return Array.from({ length: 90 }, (_, index) => {
    const at = now - (89 - index) * day
    const isWeekend = [0, 6].includes(new Date(at).getUTCDay())
    const wave = Math.round(scale * (isWeekend ? 0.45 : 1) * (1 + index / 120 + Math.sin(index * 1.7) / 6))
    return {
      day: dateOf(at),
      signUps: Math.round(wave / 9),
      logins: wave,
      failures: Math.round(wave / 21) + (index === 77 ? Math.round(scale / 3) : 0),
      throttled: index === 77 ? Math.round(scale / 12) : 0,
      mails: Math.round(wave / 6),
      mailsFailed: scale > 0 && index === 81 ? 3 : 0,
    }
  })
}

/** Returns a database. An empty one has no counts, keys and messages. */
export function stubDatabase(now: number, isEmpty = false): StubDatabase {
  const settings = described.map(({ value = null, ...setting }) => ({
    choices: null,
    min: null,
    max: null,
    confirms: false,
    default: setting.name in changed ? changed[setting.name] : value,
    value: isEmpty && setting.name in changed ? changed[setting.name] : value,
    ...setting,
  }))
  const empty: StubDatabase = {
    createdAt: timeOf(now - 400 * day),
    deletions: 0,
    days: daysOf(now, isEmpty ? 0 : 420),
    users: isEmpty ? 0 : 48_210,
    settings,
    keys: [],
    apiKeys: [],
    connections: [],
    deliveries: [],
  }
  return isEmpty ? empty : { ...empty, ...filled(now) }
}

const key = (kid: string, state: SigningKeyInfo['state'], activatesAt: number, retiresAt?: number) => ({
  kid,
  state,
  algorithm: 'ES256',
  activatesAt: timeOf(activatesAt),
  retiresAt: retiresAt ? timeOf(retiresAt) : null,
})

const filled = (now: number): Pick<StubDatabase, 'keys' | 'apiKeys' | 'connections' | 'deliveries'> => ({
  keys: [
    key('q0Xv3f8kTt2PZr1m', 'signs', now - 20 * day),
    key('bR7h1LwNs9YcEa4d', 'accepted', now - 110 * day, now + day),
  ],
  apiKeys: [
    apiKeyOf('backend', ['users:read', 'users:write', 'tenants:read'], now - 200 * day, dateOf(now)),
    apiKeyOf('billing', ['tenants:read', 'events:read'], now - 30 * day, null),
  ],
  connections: [
    connectionOf('google', 'google', 'https://accounts.google.com', true, now),
    connectionOf('acme-entra', 'microsoft', 'https://login.microsoftonline.com/8b6f/v2.0', false, now),
  ],
  deliveries: [
    {
      id: randomUUID(),
      kind: 'webhook',
      userId: null,
      createdAt: timeOf(now - 7_200_000),
      nextAt: null,
      attempts: 12,
      lastError: 'hooks.acme.example responded with 503',
    },
    {
      id: randomUUID(),
      kind: 'mail',
      userId: randomUUID(),
      createdAt: timeOf(now - 240_000),
      nextAt: timeOf(now + 360_000),
      attempts: 2,
      lastError: '451 greylisted',
    },
  ],
})

/** Returns an API key. */
export const apiKeyOf = (
  name: string,
  scopes: string[],
  createdMs: number,
  lastUsedOn: string | null,
): ApiKeyInfo => ({
  id: randomUUID(),
  name,
  ending: randomUUID().slice(-4),
  scopes,
  createdAt: timeOf(createdMs),
  expiresAt: timeOf(createdMs + 365 * day),
  lastUsedOn,
  rotatedAt: null,
})

const connectionOf = (
  name: string,
  preset: string,
  issuer: string,
  isEnabled: boolean,
  now: number,
): ConnectionDetails => ({
  name,
  preset,
  issuer,
  isEnabled,
  clientId: `${name}-4711`,
  callbackUrl: `https://users.acme.example/workspaces/acme/databases/app/connections/${name}/callback`,
  createdAt: timeOf(now - 90 * day),
})
