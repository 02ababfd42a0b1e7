import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedPasswordHash } from '../../server/domain/passwords/formats/read-hash.js'
import { startChild } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { openPostgres } from '../support/open-store.js'
import { createPostgresDatabase } from '../support/store.js'

// The named blocks of docs/moving-in.md become files. Its sh blocks run in their folder.

const doc = await readFile(new URL('../../docs/moving-in.md', import.meta.url), 'utf8')
const blocks = [...doc.matchAll(/```(\w+) ?(\S*)\n(.*?)```/gs)].map(([, language, name = '', text = '']) => ({
  language,
  name,
  text,
}))
const block = (name: string) => {
  const found = blocks.find((each) => each.name === name)?.text
  if (found === undefined) throw new Error(`no block ${name}`)
  return found
}
const shell = (text: string) => {
  const found = blocks.find((each) => each.language === 'sh' && each.text.includes(text))?.text
  if (found === undefined) throw new Error(`no commands with ${text}`)
  return found
}

let folder: string
let database: Awaited<ReturnType<typeof createPostgresDatabase>>
let env: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-docs-'))
  for (const { name, text } of blocks) if (name.includes('.')) await writeFile(join(folder, name), text)
  database = await createPostgresDatabase()
  env = { DATABASE_URL: database.url, USHER_MASTER_KEY: Buffer.alloc(32).toString('base64') }
  await runUsher(['workspace', 'create', 'acme'], env)
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

/** Runs commands of the document on a new database instead of acme/app, and returns their output. */
async function run(commands: string, name: string) {
  await runUsher(['database', 'create', `acme/${name}`], env)
  await addConnections(name)
  const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))
  const npx = `npx() { shift; "${process.execPath}" "${bin}" "$@"; }; cd "${folder}"`
  const script = `set -e; ${npx}; ${commands.replaceAll('acme/app', `acme/${name}`)}`
  const { code, stdout, stderr } = await startChild('sh', ['-c', script], env).ended
  const audit = /^\{.*"audit".*\}\n/gm
  expect({ code, stderr: stderr.replace(audit, '') }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** Adds the providers of the examples to a database. */
async function addConnections(to: string) {
  const { prisma, close } = await openPostgres(database.url, Buffer.alloc(32))
  const { id: databaseId } = await prisma.database.findFirstOrThrow({ where: { name: to } })
  const data = ['google', 'apple', 'github'].map((name) => ({
    ...{ databaseId, name, preset: name, issuer: `https://${name}.example`, clientId: 'app' },
    createdAt: new Date(),
  }))
  await prisma.connection.createMany({ data, skipDuplicates: true })
  await close()
}

const parsed = (line: string) => JSON.parse(line)
const firstLineOf = async (file: string) => (await readFile(join(folder, file), 'utf8')).split('\n')[0]
const verifies = (line: string, password: string) =>
  storedPasswordHash(JSON.parse(line).passwordHash).verify(password)

describe('docs/moving-in.md', () => {
  it('the example of docs/moving-in.md imports and exports two users of one tenant', async () => {
    expect(await run(shell('users.ndjson'), 'lines')).toBe('Added 2 users.\n')
    await run(shell('user export'), 'lines')
    const lines = (await readFile(join(folder, 'moved.ndjson'), 'utf8')).trimEnd().split('\n')
    const [ada, grace] = lines.map((line) => JSON.parse(line))
    expect([ada.email, grace.email]).toEqual(['ada@example.com', 'grace@example.com'])
    expect(ada.tenants[0].id).toBe(grace.tenants[0].id)
  })

  it('docs/moving-in.md imports users from a CSV file with quotes, commas and line breaks', async () => {
    expect(await run(shell('csv.ndjson'), 'csv')).toBe('Added 2 users.\n')
    const [ada, grace] = (await readFile(join(folder, 'csv.ndjson'), 'utf8')).split('\n', 2).map(parsed)
    const [tenant] = parsed(block('csv')).tenants
    expect(ada).toEqual({ ...parsed(block('csv')), tenants: [{ ...tenant, id: ada.tenants[0].id }] })
    const asMember = [{ ...ada.tenants[0], role: 'member' }]
    expect([ada.tenants[0].role, grace]).toEqual([
      'owner',
      { email: 'grace@example.com', preferredName: 'Grace', tenants: asMember },
    ])
    expect(await verifies(block('csv'), 'correct horse battery')).toBe(true)
  })

  it.each([
    [
      'CRLF and no end of the last line',
      'email,name\r\na@example.com,"A\r\nB"',
      [['a@example.com', 'A\r\nB']],
    ],
    [
      'a byte order mark and empty lines',
      '\uFEFFemail,name\n\na@example.com,\n\n',
      [['a@example.com', undefined]],
    ],
    [
      'a quote that is not closed',
      'email,name\na@example.com,A\nb@example.com,"B\n',
      /invalid CSV in line 3/,
    ],
    ['text after a quote', 'email,name\na@example.com,"A"B\n', /invalid CSV in line 2/],
    ['too few values', 'email,name\na@example.com\n', /a row has 1 values: a@example.com/],
  ])('the script for CSV reads %s', async (_name, csv, expected) => {
    const script = block('csv.mjs').replace("readFileSync('users.csv', 'utf8')", 'process.env.CSV')
    const { stdout, stderr } = await startChild('node', ['--input-type=module', '-e', script], { CSV: csv })
      .ended
    if (expected instanceof RegExp) return expect(stderr).toMatch(expected)
    const lines = stdout.trimEnd().split('\n').map(parsed)
    expect(lines.map(({ email, preferredName }) => [email, preferredName])).toEqual(expected)
  })

  it('docs/moving-in.md imports users from Supabase Auth', async () => {
    const line = await supabaseLine()
    expect(JSON.parse(line)).toEqual(JSON.parse(block('supabase')))
    expect(await verifies(line, 'correct horse battery')).toBe(true)
    await writeFile(join(folder, 'supabase.ndjson'), line)
    const commands = shell('supabase.ndjson').replace(/^psql .*$/m, '')
    expect(await run(commands, 'supabase')).toBe('Added 1 user.\n')
  })

  it('docs/moving-in.md imports users from Firebase', async () => {
    expect(await run(shell('firebase.ndjson'), 'firebase')).toBe('Added 1 user.\n')
    expect(await firstLineOf('firebase.ndjson')).toBe(block('firebase').trim())
    expect(await verifies(block('firebase'), 'user1password')).toBe(true)
  })

  it('docs/moving-in.md imports users from Auth0', async () => {
    expect(await run(shell('auth0.ndjson'), 'auth0')).toBe('Added 2 users.\n')
    expect(await firstLineOf('auth0.ndjson')).toBe(block('auth0').trim())
    expect(await verifies(block('auth0'), 'correct horse battery')).toBe(true)
    const [, grace] = (await readFile(join(folder, 'auth0.ndjson'), 'utf8')).split('\n', 2).map(parsed)
    expect(grace.identities).toEqual([{ connection: 'google', subject: '1029384756' }])
  })
})

/** Returns the row of the document's query on Supabase's table of users, which also has a deleted user. */
async function supabaseLine() {
  const { prisma, close } = await openPostgres(database.url, Buffer.alloc(32))
  await prisma.$executeRaw`CREATE SCHEMA auth`
  await prisma.$executeRaw`
    CREATE TABLE auth.users (id uuid, email text, encrypted_password text, raw_user_meta_data jsonb,
      email_confirmed_at timestamptz, banned_until timestamptz, deleted_at timestamptz, is_sso_user boolean,
      created_at timestamptz)`
  const line = JSON.parse(block('supabase'))
  const [{ secret, name }] = line.totp
  await prisma.$executeRaw`CREATE TABLE auth.identities (user_id uuid, provider text, provider_id text)`
  await prisma.$executeRaw`
    INSERT INTO auth.identities VALUES (${line.id}::uuid, 'email', ${line.id}),
      (${line.id}::uuid, 'google', ${line.identities[0].subject})`
  await prisma.$executeRaw`
    CREATE TABLE auth.mfa_factors (user_id uuid, factor_type text, status text, secret text, friendly_name text,
      created_at timestamptz DEFAULT now())`
  await prisma.$executeRaw`
    INSERT INTO auth.mfa_factors VALUES (${line.id}::uuid, 'totp', 'unverified', 'A', ''),
      (${line.id}::uuid, 'totp', 'verified', ${secret}, ${name}), (${line.id}::uuid, 'phone', 'verified', NULL, '')`
  await prisma.$executeRaw`
    INSERT INTO auth.users VALUES
      (${line.id}::uuid, ${line.email}, ${line.passwordHash},
        json_build_object('full_name', ${line.preferredName}::text)::jsonb,
        ${line.emailVerifiedAt}::timestamptz, NULL, NULL, false, ${line.createdAt}::timestamptz),
      (gen_random_uuid(), 'gone@example.com', '', NULL, NULL, NULL, now(), false, now())`
  const rows = await prisma.$queryRawUnsafe<Record<string, object>[]>(block('supabase.sql'))
  await close()
  expect(rows).toHaveLength(1)
  return JSON.stringify(Object.values(rows[0] ?? {})[0])
}
