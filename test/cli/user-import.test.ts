import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startChild, startUsher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { openPostgres } from '../support/open-store.js'
import { createFolderSettings, createPostgresSettings, type StoreSettings } from '../support/store.js'

const bcryptHash = '$2b$04$W9aN1Tz27FRKl8gKuX.gBulgjqiNj1qVOT4IIyQLorvS2uGgrOq.i'

let folder: string
let store: StoreSettings
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-import-'))
  store = await createPostgresSettings()
  await run('workspace create acme')
})
afterAll(async () => {
  await store.remove()
  await rm(folder, { recursive: true })
})

/** Removes audit records, which start with a brace. */
const withoutAudit = (stderr: string) => stderr.replace(/^\{.*\}\n/gm, '')

async function run(command: string, env = store.env) {
  const { code, stdout, stderr } = await runUsher(command.split(' '), env)
  return { code, stdout, stderr: withoutAudit(stderr) }
}

async function newDatabase(name: string) {
  expect(await run(`database create acme/${name}`)).toMatchObject({ code: 0 })
  return `acme/${name}`
}

async function fileOf(name: string, lines: unknown[]) {
  const file = join(folder, name)
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  await writeFile(file, texts.join('\n'))
  return file
}

const ada = {
  email: 'ada@example.com',
  passwordHash: bcryptHash,
  tenants: [{ name: 'Engines', role: 'owner' }],
}
const bob = { email: 'bob@example.com' }

describe('user import', () => {
  it('user import adds all users of a file, and a second run adds none', async () => {
    const database = await newDatabase('twice')
    const file = await fileOf('twice.ndjson', [ada, bob])
    expect(await run(`user import ${database} ${file}`)).toEqual({
      code: 0,
      stdout: 'Added 2 users.\n',
      stderr: '',
    })
    expect(await run(`user import ${database} ${file}`)).toEqual({
      code: 0,
      stdout: 'Added 0 users. Skipped 2 existing users.\n',
      stderr: '',
    })
  })

  it('user import adds valid lines, writes rejected lines with their reasons to a file and exits 1', async () => {
    const database = await newDatabase('faulty')
    const lines = [ada, '{', { email: 'x', passwordHash: bcryptHash }, bob]
    const file = await fileOf('faulty.ndjson', lines)
    const rejects = join(folder, 'faulty.rejects.ndjson')
    expect(await run(`user import ${database} ${file}`)).toEqual({
      code: 1,
      stdout: `Added 2 users. Rejected 2 lines, see ${rejects}\n`,
      stderr: 'line 2: is not JSON\nline 3: email: must be an email address\n',
    })
    const written = (await readFile(rejects, 'utf8')).trimEnd().split('\n')
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { line: 2, reason: 'is not JSON', text: '{' },
      { line: 3, reason: 'email: must be an email address', text: JSON.stringify(lines[2]) },
    ])
    expect((await stat(rejects)).mode & 0o777).toBe(0o600)

    const repaired = await fileOf('faulty.ndjson', [ada, bob])
    expect(JSON.parse((await run(`user import ${database} ${repaired} --json`)).stdout)).toEqual({
      added: 0,
      alreadyThere: 2,
      rejected: 0,
      rejectsFile: null,
      tenantsWithoutOwner: [],
    })
    await expect(stat(rejects)).rejects.toThrow('ENOENT')
  })

  it('user import writes rejected lines into no file or link that another process has created', async () => {
    const database = await newDatabase('shared')
    const [input, target] = [join(folder, 'shared.ndjson'), join(folder, 'shared-target')]
    const rejects = join(folder, 'shared.rejects.ndjson')
    const advice = 'Remove it, or move the input to a folder in which only you can write'
    await promisify(execFile)('mkfifo', [input])
    const imported = run(`user import ${database} ${input}`)
    // Opens when the command reads its input, after it has removed the file of an earlier run.
    const lines = await open(input, 'w')
    await symlink(target, rejects)
    await lines.writeFile('{')
    await lines.close()
    expect(await imported).toEqual({
      code: 4,
      stdout: '',
      stderr: `line 1: is not JSON\nusher: ${rejects} already exists. ${advice}\n`,
    })
    await expect(stat(target)).rejects.toThrow('ENOENT')

    await rm(rejects)
    await mkdir(rejects)
    expect(await run(`user import ${database} ${await fileOf('shared-2.ndjson', [bob])}`)).toMatchObject({
      code: 0,
    })
    await rm(input)
    expect(await run(`user import ${database} ${await fileOf('shared.ndjson', [ada])}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `usher: cannot remove ${rejects} (ERR_FS_EISDIR), the file for rejected lines. ${advice}\n`,
    })
  })

  it('user import prints the first 20 reasons and writes all to the file', async () => {
    const database = await newDatabase('many')
    const file = await fileOf('many', Array(1100).fill('{'))
    const imported = await runUsher(['user', 'import', database, file, '--json'], store.env)
    const { code, stdout, stderr } = imported
    const rejectsFile = `${file}.rejects.ndjson`
    expect(JSON.parse(stdout)).toEqual({
      added: 0,
      alreadyThere: 0,
      rejected: 1100,
      rejectsFile,
      tenantsWithoutOwner: [],
    })
    expect(code).toBe(1)
    const reported = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => !('audit' in line))
    expect(reported.slice(0, 20)).toEqual(
      Array.from({ length: 20 }, (_, index) => ({ line: index + 1, reason: 'is not JSON' })),
    )
    expect(reported.slice(20)).toEqual([
      {
        code: 'lines_rejected',
        title: 'Lines of the import were rejected',
        detail: `1100 lines rejected, see ${rejectsFile}`,
        exitCode: 1,
      },
    ])
    expect((await readFile(rejectsFile, 'utf8')).trimEnd().split('\n')).toHaveLength(1100)
  })

  it('user import --dry-run reports the same as the import, and stores nothing', async () => {
    const database = await newDatabase('dry')
    const id = '01a1fc71-4073-7005-9035-32d538fe4e27'
    const others = Array.from({ length: 600 }, (_, index) => ({ email: `user${index}@example.com` }))
    const eve = { email: 'eve@example.com', externalId: 'x' }
    const later = [{ ...eve, id }, bob, eve, { email: 'dan@example.com', externalId: 'x' }]
    const lines = [{ ...ada, id }, '{', bob, ...others, ...later]
    const file = await fileOf('dry.ndjson', [bob])
    await run(`user import ${database} ${file}`)
    await fileOf('dry.ndjson', lines)

    const before = (await run(`user export ${database}`)).stdout
    const dry = await runUsher(['user', 'import', database, file, '--dry-run'], store.env)
    const rejects = join(folder, 'dry.rejects.ndjson')
    const reason = 'belongs to another user'
    const rejected = `line 2: is not JSON\nline 604: id: ${reason}\nline 607: externalId: ${reason}\n`
    expect(dry).toMatchObject({ code: 1, audited: [], stderr: rejected })
    expect(dry.stdout).toBe(
      `Would add 602 users. Would skip 2 existing users. Would reject 3 lines, see ${rejects}\n`,
    )
    const again = await run(`user import ${database} ${file} --dry-run --json`)
    expect((await run(`user export ${database}`)).stdout).toBe(before)
    expect(await run(`database show ${database} --json`)).toMatchObject({
      stdout: expect.stringContaining('"hashParameterSets":0,'),
    })
    expect(await run(`user import ${database} ${file} --json`)).toEqual(again)
  })

  it('user import rejects a missing file, a folder, an invalid path and an unknown database', async () => {
    const file = await fileOf('refused.ndjson', [ada])
    expect(await run(`user import acme/twice ${file}.no`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `usher: cannot read the file ${file}.no\n`,
    })
    expect(await run(`user import acme/twice ${folder}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `usher: cannot read the file ${folder}\n`,
    })
    expect(await run(`user import acme ${file}`)).toMatchObject({ code: 2, stdout: '' })
    expect(await run(`user import acme/no ${file}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: 'usher: database acme/no does not exist\n',
    })
  })
})

it('user import describes every error of a line in its own words', async () => {
  const database = await newDatabase('wrong')
  const errors: [line: unknown, reason: string][] = [
    [[], 'must be an object'],
    [{}, 'email: is required'],
    [{ email: 1 }, 'email: must be a string'],
    [{ ...ada, id: 'x' }, 'id: must be a UUID'],
    [{ ...ada, id: 1 }, 'id: must be a UUID'],
    [{ ...ada, passwordHash: 1 }, 'passwordHash: must be a string'],
    [{ ...ada, preferredName: 1 }, 'preferredName: must be a string'],
    [{ ...ada, paswordHash: 'x', more: 1 }, 'has unknown fields: paswordHash, more'],
    [{ ...ada, tenants: {} }, 'tenants: must be a list'],
    [{ ...ada, tenants: ['Engines'] }, 'tenants.0: must be an object'],
    [
      { ...ada, tenants: [{ title: 'Engines' }] },
      'tenants.0.name: is required; tenants.0: has unknown fields: title',
    ],
    [{ ...ada, createdAt: 'now' }, 'createdAt: must be a time with a zone, such as 2026-01-31T09:30:00Z'],
    [{ ...ada, disabledAt: 1 }, 'disabledAt: must be a time with a zone, such as 2026-01-31T09:30:00Z'],
  ]
  const file = await fileOf(
    'wrong.ndjson',
    errors.map(([line]) => line),
  )
  const { stderr } = await run(`user import ${database} ${file}`)
  expect(stderr.trimEnd().split('\n')).toEqual(
    errors.map(([, reason], index) => `line ${index + 1}: ${reason}`),
  )
})

it('user import lists tenants without an owner, unless a later batch or the store has one', async () => {
  const database = await newDatabase('owners')
  const [late, early, none] = [randomUUID(), randomUUID(), randomUUID()]
  const member = (email: string, id: string, role?: string) => ({
    email: `${email}@example.com`,
    tenants: [{ id, name: `Tenant ${email}`, role }],
  })
  // A slice has 1,000 lines.
  const lines = [
    member('late', late),
    member('early', early, 'owner'),
    member('none', none, 'admin'),
    ...Array.from({ length: 1_000 }, (_, index) => ({ email: `user${index}@example.com` })),
    member('owner', late, 'owner'),
    member('second', early),
    { email: 'new@example.com', tenants: [{ name: 'New\u001b', role: 'admin' }] },
  ]
  const file = await fileOf('owners.ndjson', lines)
  const advice =
    'without an owner, into which nobody can invite. Make a user owner: usher tenant add-user --role owner'
  const listed = `2 tenants ${advice}\n  ${none}  "Tenant none"\n`
  const planned = await run(`user import ${database} ${file} --dry-run`)
  expect(planned).toEqual({
    code: 0,
    stdout: `Would add 1006 users.\n${listed}  "New\\u001b"\n`,
    stderr: '',
  })
  const { code, stdout } = await run(`user import ${database} ${file}`)
  expect({ code, stdout: stdout.replace(/[-\da-f]{36} {2}"New/, '"New') }).toEqual({
    code: 0,
    stdout: planned.stdout.replace('Would add', 'Added'),
  })
  for (const option of ['--dry-run', '']) {
    const again = await run(`user import ${database} ${file} --json ${option}`.trim())
    expect(JSON.parse(again.stdout)).toMatchObject({
      alreadyThere: 1006,
      tenantsWithoutOwner: [{ id: none, externalId: null, name: 'Tenant none' }],
    })
  }
})

describe('a killed user import', () => {
  it('a killed import leaves only complete batches, and running it again adds the remaining users', async () => {
    const database = await newDatabase('killed')
    const users = Array.from({ length: 5_000 }, (_, index) => ({
      email: `user${index}@example.com`,
      passwordHash: bcryptHash,
      tenants: [{ name: `Tenant ${index}`, role: 'owner' }],
    }))
    const file = await fileOf('killed.ndjson', users)
    const { prisma, close } = await openPostgres(store.env.DATABASE_URL ?? '', Buffer.alloc(32))
    const { id: databaseId } = await prisma.database.findFirstOrThrow({ where: { name: 'killed' } })
    const counts = () =>
      Promise.all([
        prisma.user.count({ where: { databaseId } }),
        prisma.tenant.count({ where: { databaseId } }),
        prisma.membership.count({ where: { databaseId } }),
      ])

    const first = startUsher(['user', 'import', database, file], store.env)
    await vi.waitFor(async () => expect((await counts())[0]).toBeGreaterThan(0), {
      interval: 5,
      timeout: 20_000,
    })
    first.signal('SIGKILL')
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL', stdout: '' })
    // Postgres may still process a commit that was sent before the kill.
    await prisma.$queryRaw`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`
    const [usersLeft, tenantsLeft, membershipsLeft] = await counts()
    expect(usersLeft % 1_000).toBe(0)
    expect(usersLeft).toBeLessThan(users.length)
    expect([tenantsLeft, membershipsLeft]).toEqual([usersLeft, usersLeft])

    const again = await run(`user import ${database} ${file} --json`)
    expect(JSON.parse(again.stdout)).toEqual({
      added: users.length - usersLeft,
      alreadyThere: usersLeft,
      rejected: 0,
      rejectsFile: null,
      tenantsWithoutOwner: [],
    })
    expect(await counts()).toEqual([users.length, users.length, users.length])
    await close()
  })
})

describe('an interrupted user import', () => {
  it.for(['SIGINT', 'SIGTERM'] as const)(
    'ends by %s after a complete slice, with its audit record',
    async (signal) => {
      const database = await newDatabase(signal.toLowerCase())
      const users = Array.from({ length: 30_000 }, (_, index) => ({ email: `user${index}@example.com` }))
      const file = await fileOf(`${signal}.ndjson`, users)
      const { prisma, close } = await openPostgres(store.env.DATABASE_URL ?? '', Buffer.alloc(32))
      const { id: databaseId } = await prisma.database.findFirstOrThrow({
        where: { name: signal.toLowerCase() },
      })
      const added = () => prisma.user.count({ where: { databaseId } })
      const child = startUsher(['user', 'import', database, file], store.env)
      await vi.waitFor(async () => expect(await added()).toBeGreaterThan(0), { interval: 5, timeout: 20_000 })
      child.signal(signal)
      const { code, stdout, stderr } = await child.ended
      const stored = await added()
      await close()
      expect([code, stdout, stored % 1_000]).toEqual([1, '', 0])
      expect(stored).toBeLessThan(users.length)
      expect(withoutAudit(stderr)).toBe(`usher: interrupted after ${stored} users. To resume, run it again\n`)
      const audited = [...stderr.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line))
      expect(audited).toHaveLength(stored / 1_000)
      expect(audited[0]).toMatchObject({
        audit: 'users.imported',
        databaseId,
        users: { added: 1_000, alreadyThere: 0, rejected: 0 },
      })
    },
  )
})

describe('the audit log', () => {
  it('an import writes an audit record with counts and without email addresses', async () => {
    const database = await newDatabase('audit')
    const file = await fileOf('audit.ndjson', [ada, '{'])
    const { stderr } = await runUsher(['user', 'import', database, file], store.env)
    const line = stderr.match(/^\{.*\}$/m)?.[0] ?? '{}'
    const users = { added: 1, alreadyThere: 0, rejected: 1 }
    expect(JSON.parse(line)).toMatchObject({ audit: 'users.imported', users, databaseId: expect.any(String) })
    expect(line).not.toContain('ada@')
  })

  it('an import that fails writes an audit record of the users that it has added', async ({
    onTestFinished,
  }) => {
    const database = await newDatabase('failed')
    const users = Array.from({ length: 1_600 }, (_, index) => ({ email: `user${index}@example.com` }))
    const file = await fileOf('failed.ndjson', ['{', ...users])
    const { prisma, close } = await openPostgres(store.env.DATABASE_URL ?? '', Buffer.alloc(32))
    await prisma.$executeRaw`
      ALTER TABLE usher."user" ADD CONSTRAINT refused CHECK (email_key <> 'user1599@example.com') NOT VALID`
    onTestFinished(async () => {
      await prisma.$executeRaw`ALTER TABLE usher."user" DROP CONSTRAINT refused`
      await close()
    })
    const fails = () => runUsher(['user', 'import', database, file], store.env)
    const [first, second] = [await fails(), await fails()]
    expect([first.code, second.code]).toEqual([1, 1])
    expect(first.audited).toMatchObject([
      {
        audit: 'users.imported',
        users: { added: 999, alreadyThere: 0, rejected: 1 },
        databaseId: expect.any(String),
      },
    ])
    expect(second.audited).toMatchObject([{ users: { added: 0, alreadyThere: 999, rejected: 1 } }])
  })
})

describe('user export', () => {
  it('user export writes lines that another database imports and exports unchanged', async () => {
    const from = await newDatabase('from')
    const to = await newDatabase('to')
    await run(`user import ${from} ${await fileOf('from.ndjson', [ada, bob])}`)
    const file = join(folder, 'exported.ndjson')
    expect(await run(`user export ${from} --output ${file}`)).toEqual({
      code: 0,
      stdout: `Users exported to ${file}: 2.\n`,
      stderr: '',
    })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await run(`user import ${to} ${file}`)).toMatchObject({ code: 0, stdout: 'Added 2 users.\n' })
    const { code, stdout, stderr } = await run(`user export ${to}`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(await readFile(file, 'utf8'))
    const second = join(folder, 'second.ndjson')
    expect(JSON.parse((await run(`user export ${to} -o ${second} --json`)).stdout)).toEqual({
      users: 2,
      file: second,
    })
  })

  it('user export writes identities, and secrets of authenticator apps only with --totp-secrets', async () => {
    const [from, to, without] = ['apps', 'apps-moved', 'apps-lost']
    const totp = [{ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', name: 'Phone' }]
    const identities = [{ connection: 'github', subject: '1234' }]
    const { prisma, close } = await openPostgres(store.env.DATABASE_URL ?? '', Buffer.alloc(32))
    for (const name of [from, to, without]) {
      await newDatabase(name)
      const { id: databaseId } = await prisma.database.findFirstOrThrow({ where: { name } })
      const described = { preset: 'github', issuer: 'https://github.com', clientId: 'app' }
      await prisma.connection.create({
        data: { ...described, databaseId, name: 'github', createdAt: new Date() },
      })
    }
    await close()
    const lines = [{ ...ada, identities, totp }, bob]
    const file = await fileOf('apps.ndjson', lines)
    expect(await run(`user import acme/${from} ${file}`)).toMatchObject({ stdout: 'Added 2 users.\n' })
    const exported = async (database: string, options: string) => {
      const output = join(folder, `${database}-${randomUUID()}.ndjson`)
      expect(await run(`user export acme/${database} -o ${output}${options}`)).toMatchObject({ code: 0 })
      return { output, text: await readFile(output, 'utf8') }
    }
    const secrets = await exported(from, ' --totp-secrets')
    expect(JSON.parse(secrets.text.split('\n', 1)[0] ?? '')).toMatchObject({
      identities: [{ ...identities[0], issuer: 'https://github.com' }],
      totp,
    })
    await run(`user import acme/${to} ${secrets.output}`)
    expect((await exported(to, ' --totp-secrets')).text).toBe(secrets.text)
    expect(JSON.parse((await run(`user factors acme/${to} ${ada.email} --json`)).stdout)).toMatchObject({
      factors: [{ name: 'Phone' }],
      recoveryCodes: 0,
    })

    const safe = await exported(from, '')
    expect(safe.text).not.toContain('totp')
    await run(`user import acme/${without} ${safe.output}`)
    expect((await exported(without, ' --totp-secrets')).text).toBe(safe.text)
  })

  it('user import says which field of an identity or an app is wrong, and prints no secret', async () => {
    const database = await newDatabase('wrong-ways')
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PX1'
    const lines = [
      { ...ada, identities: [{ connection: 'github', subject: '1234' }] },
      { ...ada, totp: [{ secret }] },
      { ...ada, totp: [{ secret: 'JBSWY3DPEHPK3PXP', algorithm: 'SHA256' }] },
    ]
    const { code, stderr } = await run(`user import ${database} ${await fileOf('ways.ndjson', lines)}`)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        'line 1: identities.0.connection: is not a connection of the database\n',
        'line 2: totp.0.secret: must be 16 to 128 characters of base32\n',
        'line 3: totp.0: has unknown fields: algorithm\n',
      ].join(''),
    })
  })

  it('user export overwrites no file and follows no symbolic link', async () => {
    const database = await newDatabase('kept')
    const [kept, target, link] = ['kept.txt', 'target.txt', 'link.txt'].map((name) => join(folder, name))
    await writeFile(`${kept}`, 'mine', { mode: 0o644 })
    await symlink(`${target}`, `${link}`)
    for (const file of [kept, link]) {
      expect(await run(`user export ${database} -o ${file}`)).toEqual({
        code: 4,
        stdout: '',
        stderr: `usher: ${file} already exists. Name another file\n`,
      })
    }
    expect(await readFile(`${kept}`, 'utf8')).toBe('mine')
    await expect(stat(`${target}`)).rejects.toThrow('ENOENT')
  })

  it('user export rejects a file in a folder that does not exist', async () => {
    const file = join(folder, 'no', 'users.ndjson')
    expect(await run(`user export ${await newDatabase('nowhere')} -o ${file}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: `usher: cannot create the file ${file} (ENOENT)\n`,
    })
  })

  it('user export exits 0 without an error if its reader closes the pipe', async () => {
    const database = await newDatabase('piped')
    const users = Array.from({ length: 3000 }, (_, index) => ({ email: `user${index}@example.com` }))
    await run(`user import ${database} ${await fileOf('piped.ndjson', users)}`)
    const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))
    const shell = `{ "$0" "${bin}" user export ${database}; echo "exit $?" >&2; } | head -n 1`
    const { stdout, stderr } = await startChild('sh', ['-c', shell, process.execPath], store.env).ended
    expect(stderr).toBe('exit 0\n')
    expect(stdout).toMatch(/^\{"id":"[^\n]*\}\n$/)
  })
})

it('user import and user export work on an embedded store', async () => {
  const { env, remove } = await createFolderSettings()
  for (const command of ['workspace create acme', 'database create acme/app'])
    expect(await run(command, env)).toMatchObject({ code: 0 })
  const file = await fileOf('embedded.ndjson', [ada, '{', bob])
  const rejects = join(folder, 'embedded.rejects.ndjson')
  expect(await run(`user import acme/app ${file}`, env)).toEqual({
    code: 1,
    stdout: `Added 2 users. Rejected 1 line, see ${rejects}\n`,
    stderr: 'line 2: is not JSON\n',
  })
  const { stdout } = await run('user export acme/app', env)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ email: ada.email }, { email: bob.email }])
  await remove()
})
