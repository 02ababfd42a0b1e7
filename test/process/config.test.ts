import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../../server/config.js'
import { Environment, secretVariables } from '../../server/environment.js'

const masterKey = Buffer.alloc(32, 7)
const key = masterKey.toString('base64')
const url = 'postgresql://usher:hunter2@db.example.com:5432/usher?sslmode=verify-full'

function errorsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).errors
  }
}

const defaults = {
  host: 'localhost',
  port: 3000,
  managementPort: undefined,
  baseUrl: 'http://localhost:3000',
  workers: 1,
  metrics: undefined,
  databaseUrl: undefined,
  warnings: [],
  storeConnections: 10,
  storeNodeConnections: undefined,
  dataDir: '.usher',
  masterKey: undefined,
  tokenMaxAgeSeconds: 3600,
  passwordBlocklistFile: undefined,
  hashing: {
    memoryKib: 19456,
    passes: 2,
    parallelism: 1,
    concurrency: availableParallelism(),
    queueSeconds: 2,
  },
  mail: {
    smtpUrl: undefined,
    from: { name: 'Usher', address: 'usher@localhost' },
    templates: undefined,
    folder: join('.usher', 'mail'),
  },
  trustedProxies: 0,
  shutdownDelaySeconds: 0,
  corsOrigins: ['*'],
  privateIssuers: [],
  privateWebhooks: [],
  console: { url: 'http://localhost:3000/console', onlyLoopback: true },
  consoleUrl: 'http://localhost:3000/console',
  docs: true,
  logLevel: 'info',
}

describe('loadConfig', () => {
  it('every setting has a default', () => {
    expect(loadConfig({})).toEqual(defaults)
  })

  it('empty settings use their defaults, and unknown variables are ignored', () => {
    const empty = Object.fromEntries(Object.keys(Environment.shape).map((name) => [name, '']))
    expect(loadConfig({ ...empty, SHELL: '/bin/sh', UNSET: undefined })).toEqual(defaults)
  })

  it('all settings are read from the environment', () => {
    const config = loadConfig({
      HOST: '0.0.0.0',
      PORT: '8080',
      WORKERS: '3',
      DATABASE_URL: url,
      USHER_MASTER_KEY: key,
      TOKEN_MAX_AGE: '60',
      TRUST_PROXY: '1',
      CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
      PRIVATE_ISSUERS: 'https://login.example.internal:8443/realms/acme, http://localhost:8080/',
      PRIVATE_WEBHOOKS: 'http://backend.example.internal:8080',
      DOCS: 'off',
      LOG_LEVEL: 'silent',
    })
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      baseUrl: 'http://localhost:8080',
      workers: 3,
      databaseUrl: url,
      storeConnections: 30,
      masterKey,
      tokenMaxAgeSeconds: 60,
      trustedProxies: 1,
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      privateIssuers: ['https://login.example.internal:8443/realms/acme', 'http://localhost:8080'],
      privateWebhooks: ['http://backend.example.internal:8080'],
      docs: false,
      logLevel: 'silent',
    })
    expect(Object.isFrozen(config)).toBe(true)
  })

  it('WORKERS defaults to half of the cores with DATABASE_URL, and workers share STORE_CONNECTIONS', () => {
    const env = { DATABASE_URL: url, USHER_MASTER_KEY: key }
    expect(loadConfig(env)).toMatchObject({ workers: Math.max(1, Math.floor(availableParallelism() / 2)) })
    expect(loadConfig({ ...env, WORKERS: '16' })).toMatchObject({ workers: 16, storeConnections: 50 })
    expect(loadConfig({ ...env, WORKERS: '16', STORE_CONNECTIONS: '8' }).storeConnections).toBe(8)
  })

  it('STORE_NODE_CONNECTIONS needs DATABASE_URL', () => {
    expect(errorsOf({ STORE_NODE_CONNECTIONS: '10' })).toEqual([
      'DATABASE_URL is required if STORE_NODE_CONNECTIONS is set: the URL of a node of a distributed store',
    ])
  })

  it('WORKERS must be 1 with the embedded store', () => {
    expect(loadConfig({ WORKERS: '1' }).workers).toBe(1)
    expect(errorsOf({ WORKERS: '2' })).toEqual([
      'WORKERS must be 1 if DATABASE_URL is not set, because only one process can open the embedded store',
    ])
  })

  it('MANAGEMENT_PORT must differ from the other ports', () => {
    expect(loadConfig({ MANAGEMENT_PORT: '3001' }).managementPort).toBe(3001)
    expect(errorsOf({ MANAGEMENT_PORT: '3000' })).toEqual(['MANAGEMENT_PORT must differ from PORT'])
    expect(errorsOf({ MANAGEMENT_PORT: '9464', METRICS_PORT: '9464' })).toEqual([
      'MANAGEMENT_PORT must differ from METRICS_PORT',
    ])
    expect(errorsOf({ MANAGEMENT_PORT: '0' })).toEqual([
      'MANAGEMENT_PORT must be a whole number from 1 to 65535',
    ])
  })

  it('METRICS_PORT listens on localhost and must differ from PORT', () => {
    expect(loadConfig({ METRICS_PORT: '9464' }).metrics).toEqual({ host: 'localhost', port: 9464 })
    expect(errorsOf({ METRICS_PORT: '3000' })).toEqual(['METRICS_PORT must differ from PORT'])
  })

  it('BASE_URL is stored without its trailing slash', () => {
    expect(loadConfig({ BASE_URL: 'https://example.com/id/' }).baseUrl).toBe('https://example.com/id')
  })

  it.each([
    { BASE_URL: 'https://id.example.com' },
    { BASE_URL: 'http://127.example.com' },
    { CONSOLE_URL: 'https://console.example.com' },
    { TRUST_PROXY: '1' },
    { TRUST_PROXY: 'loopback' },
  ])('%o turns the console off that is for this machine, with a warning', (env) => {
    expect(loadConfig(env)).toMatchObject({
      console: undefined,
      warnings: [expect.stringMatching(/^The console is off, .*CONSOLE=on/)],
    })
    expect(loadConfig({ ...env, CONSOLE: 'off' })).toMatchObject({ console: undefined, warnings: [] })
    expect(loadConfig({ ...env, CONSOLE: 'on' })).toMatchObject({
      console: { onlyLoopback: false },
      warnings: [],
    })
  })

  it.each(['http://localhost:8080', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'BASE_URL=%s keeps the console for this machine',
    (BASE_URL) => {
      const { console, warnings } = loadConfig({ BASE_URL, TRUST_PROXY: '0' })
      expect([console?.onlyLoopback, warnings]).toEqual([true, []])
    },
  )

  it('MAIL_FROM is required with SMTP_URL', () => {
    const SMTP_URL = 'smtps://user:pass@mail.example.com:465'
    expect(errorsOf({ SMTP_URL })).toEqual(['MAIL_FROM is required if SMTP_URL is set'])
    const MAIL_FROM = 'accounts@example.com'
    expect(loadConfig({ SMTP_URL, MAIL_FROM }).mail).toMatchObject({
      smtpUrl: SMTP_URL,
      from: { name: '', address: MAIL_FROM },
    })
  })

  it.each([
    ['Acme & Söhne <accounts@example.com>', 'Acme & Söhne'],
    ['"Acme, Inc." <accounts@example.com>', 'Acme, Inc.'],
    ['Acme: Help (EU); <accounts@example.com>', 'Acme: Help (EU);'],
  ])('MAIL_FROM=%s has a name and an address', (MAIL_FROM, name) => {
    expect(loadConfig({ MAIL_FROM }).mail.from).toEqual({ name, address: 'accounts@example.com' })
  })

  it('USHER_MASTER_KEY is required with DATABASE_URL', () => {
    expect(errorsOf({ DATABASE_URL: url })).toEqual([
      'USHER_MASTER_KEY is required if DATABASE_URL is set: 32 bytes as base64 (openssl rand -base64 32)',
    ])
  })
})

it.each([
  'postgresql://postgres@localhost/usher',
  'postgresql://postgres@127.0.0.1:5433/usher?sslmode=disable',
  'postgresql://postgres@[::1]/usher',
  'postgresql://postgres@db.example.com/usher?host=/run/postgresql',
  'postgresql://postgres@%2Frun%2Fpostgresql/usher',
  'postgresql:///usher',
  'postgresql://db.example.com/usher?sslmode=verify-full',
  'postgresql://db.example.com/usher?sslmode=no-verify',
  'postgresql://db.example.com/usher?ssl=true',
  'postgresql://db.example.com/usher?sslrootcert=/etc/usher/ca.pem',
])('DATABASE_URL %s causes no warning', (DATABASE_URL) => {
  expect(loadConfig({ DATABASE_URL, USHER_MASTER_KEY: key }).warnings).toEqual([])
})

it.each([
  'postgresql://postgres@db.example.com/usher',
  'postgresql://postgres@localhost.example.com/usher',
  'postgresql://postgres@localhost/usher?host=10.0.0.7',
  'postgresql://postgres@10.127.0.0.1/usher',
  'postgresql://db.example.com/usher?sslmode=disable&sslrootcert=/etc/usher/ca.pem',
  'postgresql://db.example.com/usher?sslmode=verify-full&sslmode=disable',
  'postgresql://db.example.com/usher?ssl=0',
])('DATABASE_URL %s causes a warning about missing TLS', (DATABASE_URL) => {
  expect(loadConfig({ DATABASE_URL, USHER_MASTER_KEY: key }).warnings).toEqual([
    'DATABASE_URL names another machine without TLS. Add sslmode=verify-full to it',
  ])
})

const MAIL_FROM = 'ada@example.com'

it.each([
  'smtp://localhost',
  'smtp://127.0.0.1:2525',
  'smtp://[::1]?ignoreTLS=true',
  'smtps://mail.example.com',
  'smtp://mail.example.com?requireTLS=true',
])('SMTP_URL %s causes no warning', (SMTP_URL) => {
  expect(loadConfig({ SMTP_URL, MAIL_FROM }).warnings).toEqual([])
})

it.each([
  'smtp://mail.example.com',
  'smtp://ada:secret@mail.example.com:587?requireTLS=false',
  'smtp://mail.example.com?requireTLS=true&requireTLS=false',
  'smtp://mail.example.com?requireTLS=true&ignoreTLS=true',
  'smtp://localhost.example.com',
])('SMTP_URL %s causes a warning about missing TLS', (SMTP_URL) => {
  expect(loadConfig({ SMTP_URL, MAIL_FROM }).warnings).toEqual([
    'SMTP_URL names another machine without required TLS. Use smtps://, or add requireTLS=true to it',
  ])
})

describe('invalid settings', () => {
  const invalid = {
    PORT: '65536',
    WORKERS: '0',
    BASE_URL: 'ftp://hunter2.example.com',
    METRICS_PORT: '-1',
    DATABASE_URL: 'mysql://root:hunter2@localhost/usher',
    STORE_CONNECTIONS: '1',
    STORE_NODE_CONNECTIONS: '1',
    USHER_MASTER_KEY: 'hunter2',
    TOKEN_MAX_AGE: '59',
    ARGON2_MEMORY_KIB: '7',
    ARGON2_PASSES: '0',
    ARGON2_PARALLELISM: '-1',
    HASH_CONCURRENCY: '1.5',
    HASH_QUEUE_SECONDS: '61',
    SMTP_URL: 'http://hunter2:hunter2@mail.example.com',
    MAIL_FROM: 'hunter2',
    TRUST_PROXY: 'true',
    CORS_ORIGINS: 'https://app.example.com/hunter2',
    PRIVATE_ISSUERS: 'http://hunter2.example.com',
    DOCS: 'hunter2',
    LOG_LEVEL: 'hunter2',
  }

  it('all invalid settings are reported, one per line, without their values', () => {
    const errors = errorsOf(invalid)
    expect(errors.map((error) => error.split(' ', 1)[0]).sort()).toEqual(Object.keys(invalid).sort())
    const { message } = new ConfigError(errors)
    expect(message.split('\n')).toHaveLength(1 + errors.length)
    expect(message).not.toContain('hunter2')
  })

  it.each([
    ['PORT', '0x50'],
    ['PORT', '80 '],
    ['PORT', '1e3'],
    ['TOKEN_MAX_AGE', '86401'],
    ['DATABASE_URL', 'localhost:5432'],
    ['DATABASE_URL', 'postgres://usher:12#34@db.example.com/usher'],
    ['DATABASE_URL', 'postgres://usher:12/34@db.example.com/usher'],
    ['DATABASE_URL', 'postgres://usher:12?34@db.example.com/usher'],
    ['DATABASE_URL', 'postgres://usher:12%zz@db.example.com/usher'],
    ['DATABASE_URL', 'postgres://usher:p#34@db.example.com/usher'],
    ['USHER_MASTER_KEY', Buffer.alloc(31).toString('base64')],
    ['USHER_MASTER_KEY', Buffer.alloc(33).toString('base64')],
    ['USHER_MASTER_KEY', Buffer.alloc(32, 255).toString('base64url')],
    ['SMTP_URL', 'mail.example.com:587'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://user:%zz@mail.example.com'],
    ['SMTP_URL', 'smtp://user:12#34@mail.example.com'],
    ['SMTP_URL', 'smtp://user:12/34@mail.example.com'],
    ['SMTP_URL', 'smtp://mail.example.com:99999'],
    ['SMTP_URL', 'smtp://mail.example.com?requireTls=true'],
    ['SMTP_URL', 'smtp://mail.example.com?requireTLS=on'],
    ['MAIL_FROM', 'accounts'],
    ['MAIL_FROM', 'accounts,sales@example.com'],
    ['MAIL_FROM', 'Acme <accounts@example.com>\r\nBcc: eve@example.com'],
    ['MAIL_FROM', 'Acme\n<accounts@example.com>'],
    ['MAIL_FROM', 'ada@example.com, eve@example.com'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com,'],
    ['PRIVATE_ISSUERS', 'http://login.example.internal'],
    ['PRIVATE_ISSUERS', 'https://login.example.internal/?realm=acme'],
    ['PRIVATE_ISSUERS', 'https://user@login.example.internal'],
    ['PRIVATE_WEBHOOKS', 'http://backend.example.internal/hook'],
    ['PRIVATE_ISSUERS', '*'],
    ['LOG_LEVEL', 'INFO'],
    ['TRUST_PROXY', '11'],
    ['TRUST_PROXY', '1,2'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.0/'],
    ['TRUST_PROXY', '10.0.0'],
    ['TRUST_PROXY', 'fd00::/129'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['TRUST_PROXY', 'loopback,'],
    ['TRUST_PROXY', 'proxy.example.com'],
  ])('%s=%s is rejected', (name, value) => {
    const errors = errorsOf({ USHER_MASTER_KEY: key, MAIL_FROM: 'ada@example.com', [name]: value })
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^${name} must (be|have) `))])
  })

  it('an unknown parameter of SMTP_URL is named, unless it is part of a password', () => {
    const errorOf = (SMTP_URL: string) => errorsOf({ MAIL_FROM: 'ada@example.com', SMTP_URL })
    expect(errorOf('smtp://mail.example.com?requireTLS=true&tls.ServerName=x')).toEqual([
      'SMTP_URL must have no parameter tls.ServerName, only requireTLS, ignoreTLS, tls.rejectUnauthorized, name, tls.servername',
    ])
    expect(errorOf('smtp://mail.example.com?requireTLS=on')).toEqual([
      'SMTP_URL must have requireTLS=true or requireTLS=false',
    ])
    expect(errorOf('smtp://user:12?hunter&2@mail.example.com')).toEqual([
      'SMTP_URL must be an smtp:// or smtps:// URL with percent-encoded user name and password',
    ])
  })

  it('DATABASE_URL with a # in its password says how to write it', () => {
    const DATABASE_URL = 'postgres://usher:12#34@db.example.com/usher'
    expect(errorsOf({ USHER_MASTER_KEY: key, DATABASE_URL })).toEqual([
      'DATABASE_URL must have a percent-encoded user name and password: # as %23, / as %2F, ? as %3F, % as %25',
    ])
  })

  it.each(['sslmode=verify', 'sslmode=', 'sslmode=verify-full&sslmode=x', 'ssl=false', 'ssl='])(
    'DATABASE_URL with %s is rejected',
    (query) => {
      expect(
        errorsOf({ USHER_MASTER_KEY: key, DATABASE_URL: `postgresql://localhost/usher?${query}` }),
      ).toEqual([
        'DATABASE_URL must have sslmode=verify-full, verify-ca, require, prefer, no-verify or disable, or none; and ssl=true, 1 or 0, or none',
      ])
    },
  )
})

it('.env.example lists exactly the existing settings, with their defaults', async () => {
  const text = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
  const lines = [...text.matchAll(/^#? ?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [name, value])
  const files = secretVariables.map((name) => `${name}_FILE`)
  expect(lines.map(([name]) => name).sort()).toEqual([...Object.keys(Environment.shape), ...files].sort())
  expect(loadConfig(Object.fromEntries(lines))).toEqual(defaults)
})
