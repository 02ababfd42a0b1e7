import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultMailSettings, defaultSettings } from '@usher/contract/settings'
import { decodeJwt } from 'jose'
import { describe, expect } from 'vitest'
import { createDatabase } from '../../server/domain/management/databases.js'
import { Problem } from '../../server/domain/problem.js'
import { password, validUser } from '../support/app.js'
import { it } from '../support/operator.js'

const linesOf = (text: string) => text.trimEnd().split('\n')

describe('the mails of a database', () => {
  it('database set changes them, and mail preview shows them', async ({ usher, onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-mails-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'fi'))
    await writeFile(join(folder, 'fi/email_changed.txt'), 'Subject: Hei {{app}}\n\n{{email}} on osoitteesi.')
    const { id, path } = await usher.newDatabase()
    const set = `database set ${path}`
    const settings = '--mail-sender a@acme.example --mail-color #FFCC00 --mail-locale fi-fi'
    const { audited } = await usher.operator(
      `${set} --app-url https://app.example.com --app-name Acme ${settings} --mail-templates ${folder}`,
    )
    const mails = { appName: 'Acme', mailSender: 'a@acme.example', mailColor: '#ffcc00', mailLocale: 'fi-FI' }
    expect(audited).toMatchObject([
      { audit: 'database.set', databaseId: id, settings: { ...mails, mailTemplates: ['fi/email_changed'] } },
    ])
    const shown = { ...mails, mailReplyTo: null, mailTemplates: [{ locale: 'fi', name: 'email_changed' }] }
    expect(await usher.json(`database show ${path}`)).toMatchObject({ mails: shown })
    expect((await usher.operator(`mail preview ${path} --template email_changed`)).stdout).toBe(
      'From: Acme <a@acme.example>\nSubject: Hei Acme\n\nada@example.com on osoitteesi.\n',
    )
    // A key of the database may have stored the template.
    await writeFile(join(folder, 'fi/email_changed.txt'), 'Subject: Hei\n\n\u001b]0;OWNED\u0007 {{email}}')
    await usher.operator(`${set} --mail-templates ${folder}`)
    const controlled = await usher.operator(`mail preview ${path} --template email_changed`)
    expect(controlled.stdout).toContain('\n\n\uFFFD]0;OWNED\uFFFD ada@example.com')
    await usher.json(`mail preview ${path} --locale ar --folder ${folder}/out`)
    expect(await readdir(join(folder, 'out'))).toHaveLength(44)
    expect(await readFile(join(folder, 'out/invitation.html'), 'utf8')).toContain('dir="rtl"')
    expect(await usher.json(`${set} --mail-templates none --app-name none`)).toMatchObject({
      mails: { ...shown, appName: null, mailTemplates: [] },
    })
    expect(await usher.outcome(`${set} --mail-color red`)).toBe(
      '2 usher: --mail-color must be a color such as #0b57d0\n',
    )
    await writeFile(join(folder, 'fi/invitation.txt'), 'Subject: Hei\n\n{{code}}')
    expect(await usher.outcome(`${set} --mail-templates ${folder}/fi`)).toContain(
      'is not LOCALE/MAIL.txt or LOCALE/MAIL.html',
    )
    await rm(join(folder, 'out'), { recursive: true })
    expect(await usher.outcome(`${set} --mail-templates ${folder}`)).toBe(
      '2 usher: --mail-templates: fi/invitation.txt has an unknown placeholder: {{code}}\n',
    )
  })
})

it('database create takes all settings of database set, and stores all of them or nothing', async ({
  usher,
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-mails-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'fi'))
  await writeFile(join(folder, 'fi/email_changed.txt'), 'Subject: Hei {{app}}\n\n{{email}} on osoitteesi.')
  const { workspaceSlug } = await usher.newDatabase()
  const path = `${workspaceSlug}/complete`
  const create = `database create ${path} --app-url https://app.example.com --webhook-url http://localhost`
  // Rejected by the transaction that creates the database.
  await expect(
    createDatabase(
      { store: usher.context.store, now: new Date() },
      { workspaceSlug, databaseName: 'complete' },
      { mail: { mailTemplates: [{ name: 'email_changed', locale: 'fi', text: '{{code}}', html: null }] } },
    ),
  ).rejects.toThrow(Problem)
  const created = await usher.json(
    `${create} --events-kept 3 --token-max-age 120 --app-name Acme --mail-templates ${folder}`,
  )
  expect(created.webhookSecret).toMatch(/^whsec_/)
  expect(await usher.json(`database show ${path}`)).toMatchObject({
    id: created.id,
    values: {
      appUrl: 'https://app.example.com',
      webhookUrl: 'http://localhost/',
      eventsKept: 3,
      tokenMaxAge: 120,
    },
    mails: { appName: 'Acme', mailTemplates: [{ locale: 'fi', name: 'email_changed' }] },
  })
  const changed = await usher.json(`database set ${path} --webhook-url http://localhost:1`)
  expect(changed).toMatchObject({ values: { webhookUrl: 'http://localhost:1/' }, webhookSecret: null })
  const text = await usher.operator(`database create ${path}2 --webhook-url http://localhost`)
  expect(text.stdout).toContain('Secret of the webhook. It is not shown again: whsec_')
})

describe('database set', () => {
  it('database set changes password policy, token lifetime and the algorithm of the next key', async ({
    usher,
  }) => {
    const { id, path, workspaceSlug, databaseName } = await usher.newDatabase()
    const set = `database set ${path}`
    const settings = { passwordPolicy: 'nist', tokenMaxAge: 120, signingAlgorithm: 'EdDSA' }
    expect(
      await usher.json(`${set} --password-policy nist --token-max-age 120 --signing-algorithm EdDSA`),
    ).toMatchObject({
      id,
      values: { ...defaultSettings, signUpsPerHour: 0, ...settings },
      mails: { ...defaultMailSettings, mailTemplates: [] },
    })
    const server = await usher.otherServer()
    const client = server.client(workspaceSlug, databaseName)
    const refused = await client.createUser(validUser({ password: 'fourteen chars' }))
    expect(refused.json().errors).toMatchObject([{ code: 'too_short' }])
    expect((await client.signedUp()).token.maxAge).toBe(120)
    await server.close()

    const { stdout, audited } = await usher.operator(`${set} --token-max-age default`)
    expect(stdout).toMatch(/^password policy {12}nist$/m)
    expect(stdout).toContain('\ntoken max age              the server’s TOKEN_MAX_AGE\n')
    expect(audited).toMatchObject([
      { audit: 'database.set', databaseId: id, settings: { tokenMaxAge: null } },
    ])
    const { stdout: next } = await usher.operator(`${set} --signing-algorithm RS256`)
    expect(next).toContain(`\nTo create a key with RS256, run: npx @usher/server keys rotate ${path}\n`)
    expect(await usher.json(`keys rotate ${path}`)).toMatchObject({ algorithm: 'RS256' })
    const { stdout: unlimited } = await usher.operator(
      `${set} --network-failures-per-hour 0 --mails-per-hour 0`,
    )
    expect(unlimited).toMatch(/\nnetwork failures per hour {2}no limit\n(.*\n)*mails per hour {13}no limit\n/)
    const values = { passwordPolicy: 'nist', tokenMaxAge: null, signingAlgorithm: 'RS256' }
    expect(await usher.json(`database show ${path}`)).toMatchObject({ id, values })
  })

  it.for([
    ['', /^2 usher: at least one setting is required\. See --help\n$/],
    ['--token-max-age 59', /^2 .*--token-max-age.* whole number from 60 to 86400/],
    ['--signing-algorithm HS256', /^2 .*--signing-algorithm.* ES256, RS256, EdDSA/],
    ['--account-operations no', /^2 .*--account-operations.* on, off/],
    ['--require-verified-email no', /^2 .*--require-verified-email.* on, off/],
    ['--verify-email-with-token no', /^2 .*--verify-email-with-token.* on, off/],
    ['--session-idle 299', /^2 .*--session-idle.* whole number from 300 to 34560000/],
    ['--sessions-per-user 0', /^2 .*--sessions-per-user.* whole number from 1 to 100/],
    ['--sessions-per-user 101', /^2 .*--sessions-per-user.* whole number from 1 to 100/],
    ['--session-max 1', /^2 .*--session-max.* whole number from 300 to 34560000/],
    ['--tenant-operations no', /^2 .*--tenant-operations.* on, off/],
    ['--roles billing,billing', /^2 usher: --roles must be up to 8 different names/],
    ['--roles billing --roles billing', /^2 usher: --roles must be up to 8 different names/],
    ['--roles owner', /^2 usher: --roles must be up to 8 different names/],
    ['--roles Billing', /^2 usher: --roles must be up to 8 different names/],
    ['--roles a,b,c,d,e,f,g,h,i', /^2 usher: --roles must be up to 8 different names/],
    ['--invitation-lifetime 3599', /^2 .*--invitation-lifetime.* whole number from 3600 to 2592000/],
    ['--claims [1]', /^2 usher: --claims must be a JSON object, such as \{"role":"authenticated"\}\n$/],
    ['--claims null', /^2 usher: --claims must be a JSON object/],
    ['--claims {role:1}', /^2 usher: --claims must be a JSON object/],
    [
      '--claims {"role":1,"sub":"x"}',
      /^2 usher: --claims must not contain sub, which is reserved for Usher\n$/,
    ],
    [
      '--claims {"tenants":[]}',
      /^2 usher: --claims must not contain tenants, which is reserved for Usher\n$/,
    ],
    ...['scope', 'act', 'nonce', 'azp', 'cnf'].map((name): [string, RegExp] => [
      `--claims {"${name}":"x"}`,
      new RegExp(`^2 usher: --claims must not contain ${name}, which is reserved for Usher\n$`),
    ]),
    ['--claims {"a":"\\u0000"}', /^2 usher: --claims must not contain NUL or lone surrogates\n$/],
    ['--claims {"a":"\\ud800"}', /^2 usher: --claims must not contain NUL or lone surrogates\n$/],
    [`--claims {"a":"${'é'.repeat(510)}"}`, /^2 usher: --claims must have at most 1024 bytes\n$/],
    ...['sub', 'exp', 'tenants', 'act', 'sid', 'scope'].map((name): [string, RegExp] => [
      `--claim-sources ${name}=user.locale`,
      new RegExp(
        `^2 usher: --claim-sources must not contain "${name}=user\\.locale": ${name} is reserved for Usher\n$`,
      ),
    ]),
    ...[
      ...['plan', 'plan=', '=user.locale', 'plan=user', 'plan=user.email', 'plan=user.metadata'],
      ...[
        'plan=user.metadata.',
        'plan=user.locale.x',
        'plan=tenant.locale',
        'plan=tenant.name',
        '__proto__=user.locale',
      ],
      ...[`p=user.metadata.${'x'.repeat(65)}`, `${'p'.repeat(65)}=user.locale`, '', 'plan=User.locale'],
    ].map((source): [string, RegExp] => [
      `--claim-sources a=user.locale,${source}`,
      new RegExp(
        `^2 usher: --claim-sources must not contain "${source}": expected the name of a claim, an equals sign and user\\.externalId, .*, tenant\\.privateMetadata\\.NAME\n$`,
      ),
    ]),
    [
      '--claim-sources a=user.locale,a=user.externalId',
      /^2 usher: --claim-sources must not contain "a=user\.externalId": another source has the claim a\n$/,
    ],
    [
      `--claim-sources ${Array.from({ length: 11 }, (_, index) => `c${index}=user.locale`)}`,
      /^2 usher: --claim-sources must be up to 10 texts separated by commas, such as "plan=user\.metadata\.plan"\n$/,
    ],
    ['--password-policy nist', /^3 usher: database no\/such does not exist\n$/],
  ] as const)('database set with options %j is rejected', async ([options, line], { usher }) => {
    expect(await usher.outcome(`database set no/such ${options}`.trim())).toMatch(line)
  })
})

it('database set adds fixed claims to every token issued afterwards', async ({ usher }) => {
  const { path, workspaceSlug, databaseName } = await usher.newDatabase()
  const claims = { role: 'authenticated', 'https://example.com/plan': { seats: [1, null] } }
  const { stdout } = await usher.operator(`database set ${path} --claims ${JSON.stringify(claims)}`)
  const [, shown = ''] = stdout.match(/^claims {21}(.*)$/m) ?? []
  expect(JSON.parse(shown)).toEqual(claims)
  expect((await usher.json(`database show ${path}`)).values.claims).toEqual(claims)
  const server = await usher.otherServer()
  const { signedUp, me } = server.client(workspaceSlug, databaseName)
  const { id, token } = await signedUp()
  expect(decodeJwt(token.jwt)).toMatchObject({ ...claims, sub: id, tenants: [] })
  expect((await me(token.jwt)).statusCode).toBe(200)
  await server.close()
  expect((await usher.json(`database set ${path} --claims {}`)).values.claims).toEqual({})
})

it('database set accepts claim sources, and rejects one for a fixed claim', async ({ usher }) => {
  const { path } = await usher.newDatabase()
  const source = 'https://example.com/plan=tenant.privateMetadata.plan=1'
  const { stdout } = await usher.operator(`database set ${path} --claim-sources lang=user.locale,${source}`)
  expect(stdout).toMatch(/^claim sources {14}lang=user\.locale, https:.*=1$/m)
  expect((await usher.json(`database show ${path}`)).values.claimSources).toEqual([
    'lang=user.locale',
    source,
  ])
  expect(await usher.outcome(`database set ${path} --claims {"lang":"de"}`)).toBe(
    '2 usher: settings.claims must not contain the claim lang, which claimSources has\n',
  )
  const both = '--claims {"a":1} --claim-sources a=user.locale'
  expect(await usher.outcome(`database create ${path}-other ${both}`)).toBe(
    '2 usher: settings.claimSources must not contain the claim a, which claims has\n',
  )
  await usher.operator(`database set ${path} --claims {"lang":"de"} --claim-sources none`)
})

it('database set removes no role that a member or an invitation has', async ({ usher }) => {
  const { id: databaseId, path, ...client } = await usher.newDatabase()
  expect((await usher.json(`database set ${path} --roles billing,viewer,guest`)).values.roles).toHaveLength(3)
  const { id: userId, tenants } = await client.signedUp({ newTenant: 'Engines' })
  const [tenantId = ''] = tenants
  const { membership, invitation } = usher.store.prisma
  const where = { databaseId, userId, tenantId }
  await membership.updateMany({ where, data: { role: 'billing' } })
  const day = new Date()
  const mail = { id: tenantId, email: 'a@example.com', canonicalEmail: 'a@example.com', codeId: tenantId }
  const invited = { databaseId, tenantId, ...mail, role: 'viewer', createdAt: day, expiresAt: day }
  await invitation.createMany({ data: invited })
  const set = `database set ${path} --roles`
  expect(await usher.outcome(`${set} viewer`)).toMatch(/^4 usher: members .* have the role billing\. /)
  expect(await usher.outcome(`${set} billing`)).toMatch(/^4 usher: members .* have the role viewer\. /)
  expect(await usher.json(`${set} viewer --roles billing`)).toMatchObject({
    values: { roles: ['viewer', 'billing'] },
  })
  await membership.updateMany({ where, data: { role: 'member' } })
  await invitation.deleteMany({ where: { databaseId } })
  expect(await usher.json(`${set} none`)).toMatchObject({ values: { roles: [] } })
})

it('database set and create change sessions and account operations', async ({ usher }) => {
  const { path, workspaceSlug, databaseName } = await usher.newDatabase()
  const options =
    '--sign-ups-per-hour 7 --require-verified-inviter off --account-operations on --require-verified-email on --verify-email-with-token on --login-mail both --session-idle 600 --session-max 900 --sessions-per-user 5'
  await usher.operator(`database create ${workspaceSlug}/database-other ${options}`)
  const session = {
    signUpsPerHour: 7,
    requireVerifiedInviter: false,
    accountOperations: true,
    requireVerifiedEmail: true,
    verifyEmailWithToken: true,
    loginMail: 'both',
    sessionIdle: 600,
    sessionMax: 900,
    sessionsPerUser: 5,
  }
  expect(await usher.json(`database show ${workspaceSlug}/database-other`)).toMatchObject({ values: session })
  const { stdout } = await usher.operator(`database set ${path} --account-operations off --session-max 0`)
  expect(stdout).toMatch(/\naccount operations {9}off\n(.*\n)*session max {16}no sessions\n/)
  const server = await usher.otherServer()
  const { openSession, signedUp } = server.client(workspaceSlug, databaseName)
  const { token } = await signedUp()
  expect((await openSession(token.jwt)).json().code).toBe('route_not_found')
  const other = server.client(workspaceSlug, 'database-other')
  expect((await other.opened()).refreshToken.maxAge).toBe(600)
  await server.close()
})

it('database show prints the settings of a database', async ({ usher, database }) => {
  const { id, path, workspaceSlug, databaseName } = database
  const [{ createdAt }] = await usher.rows(`database list --after ${workspaceSlug}/database --limit 1`)
  const url = `http://localhost:3000/workspaces/${workspaceSlug}/databases/${databaseName}`
  const shown = `id                         ${id}
url                        ${url}
password policy            standard
network failures per hour  300
sign-ups per hour          no limit
account operations         on
login redirects            /login of the app
second factor grace        none
token max age              the server’s TOKEN_MAX_AGE
session idle               1209600 s
claims                     {}
roles                      none
app URL                    none
notice new network         off
events kept                none
app name                   that of the server
hash parameters            0 sets
created                    ${createdAt}
`
  const { stdout } = await usher.operator(`database show ${path}`)
  expect(linesOf(stdout)).toEqual(expect.arrayContaining(linesOf(shown)))
  await database.signedUp()
  await usher.json(
    `database set ${path} --token-max-age 90 --network-failures-per-hour 0 --mails-per-hour 60`,
  )
  expect(await usher.json(`database show ${path}`)).toEqual({
    id,
    url,
    values: {
      ...defaultSettings,
      signUpsPerHour: 0,
      tokenMaxAge: 90,
      networkFailuresPerHour: 0,
      mailsPerHour: 60,
    },
    mails: { ...defaultMailSettings, mailTemplates: [] },
    hashParameterSets: 1,
    passkeyDomain: null,
    wellKnownWebauthn: null,
    createdAt,
  })
  expect((await usher.operator(`database show ${path}`)).stdout).toMatch(
    /\ntoken max age {14}90 s\n(.*\n)*hash parameters {12}1 set\n/,
  )
  expect(await usher.outcome('database show no/such')).toBe('3 usher: database no/such does not exist\n')
})

it('database list and workspace list return pages', async ({ usher }) => {
  const { path, workspaceSlug } = await usher.newDatabase()
  const databases = await usher.rows('database list')
  const before = databases[databases.length - 2]
  const first = await usher.rows('database list --limit 1')
  expect(first).toEqual(databases.slice(0, 1))
  const after = `${before.workspace}/${before.name}`
  expect(await usher.rows(`database list --after ${after}`)).toEqual(databases.slice(-1))
  const { stdout } = await usher.operator('database list --limit 1')
  expect(stdout).toMatch(/\nNext page: --after workspace-\d+\/database-\w+\n$/)

  const workspaces = await usher.rows('workspace list')
  expect(workspaces).toContainEqual(expect.objectContaining({ slug: workspaceSlug, databases: 1 }))
  const slug = workspaces[workspaces.length - 2].slug
  expect(await usher.rows(`workspace list --after ${slug} --limit 1`)).toEqual(workspaces.slice(-1))
  expect(path).toContain(workspaceSlug)
})

it('database list and workspace list print aligned columns with headers', async ({ usher }) => {
  await usher.newDatabase()
  for (const command of ['database list', 'workspace list']) {
    const { stdout } = await usher.operator(command)
    const [header = '', ...lines] = stdout.trimEnd().split('\n')
    const columns = [...header.matchAll(/\S+/g)].map(({ index }) => index)
    expect(header).toMatch(/^(DATABASE +ID +STATE|SLUG +ID +DATABASES)$/)
    for (const line of lines) expect([...line.matchAll(/\S+/g)].map(({ index }) => index)).toEqual(columns)
  }
})

describe('database delete', () => {
  it('database delete deletes all rows, other servers return 404, and the name can be used again', async ({
    usher,
  }) => {
    const { id, path, workspaceSlug, databaseName, ...client } = await usher.newDatabase()
    const neighbour = await usher.newDatabase()
    const { token } = await client.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
    const kept = await neighbour.signedUp({ email: 'ada@example.com', newTenant: 'Engines' })
    const headers = { 'idempotency-key': 'once' }
    await usher.send({ method: 'POST', url: client.users, payload: validUser(), headers })
    await client.login({ email: 'ada@example.com', password: 'wrong password' })

    const { code, stdout, audited } = await usher.operator(`database delete ${path} --yes`)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Deleted database ${path}. Users deleted: 2.\n`,
    })
    expect(audited).toMatchObject([{ audit: 'database.deleted', databaseId: id }])
    const { prisma } = usher.store
    const where = { databaseId: id }
    const left = await Promise.all([
      prisma.user.count({ where }),
      prisma.tenant.count({ where }),
      prisma.membership.count({ where }),
      prisma.signingKey.count({ where }),
      prisma.loginFailures.count({ where }),
      prisma.idempotencyKey.count({ where }),
      prisma.database.count({ where: { id } }),
    ])
    expect(left).toEqual([0, 0, 0, 0, 0, 0, 0])

    const server = await usher.otherServer()
    const otherClient = server.client(workspaceSlug, databaseName)
    expect((await otherClient.me(token.jwt)).json().code).toBe('database_not_found')
    expect((await otherClient.createUser(validUser())).json().code).toBe('database_not_found')
    await server.close()
    expect((await neighbour.me(kept.token.jwt)).statusCode).toBe(200)
    expect(await usher.json(`database create ${path}`)).toMatchObject({ name: databaseName })
  })

  it('a server that has a deleted database cached returns 404, never 500', async ({ usher }) => {
    const { path, ...client } = await usher.newDatabase()
    const { token } = await client.signedUp({ email: 'ada@example.com' })
    await usher.operator(`database delete ${path} --yes`)
    const headers = { 'idempotency-key': 'once' }
    const responses = [
      await client.createUser(validUser({ newTenant: 'Engines' })),
      await usher.send({ method: 'POST', url: client.users, payload: validUser(), headers }),
      await client.login({ email: 'ada@example.com', password }),
    ]
    for (const response of responses) expect(response.json().code).toBe('database_not_found')
    expect((await client.me(token.jwt)).json().code).toBe('token_invalid')
  })

  it('a partly deleted database returns 404, and deleting it again completes the deletion', async ({
    usher,
  }) => {
    const { id, path, workspaceSlug, databaseName, signedUp } = await usher.newDatabase()
    const { token } = await signedUp()
    await usher.store.prisma.signingKey.deleteMany({ where: { databaseId: id } })
    const server = await usher.otherServer()
    const otherClient = server.client(workspaceSlug, databaseName)
    expect((await otherClient.me(token.jwt)).json().code).toBe('database_not_found')
    await server.close()
    expect(await usher.outcome(`keys rotate ${path}`)).toBe(
      `1 usher: database ${path} is being deleted. To finish: npx @usher/server database delete ${path}\n`,
    )
    expect((await usher.operator('database list')).stdout).toMatch(
      new RegExp(`^${path} +${id}  being deleted$`, 'm'),
    )
    expect(await usher.json(`database delete ${path} --yes`)).toEqual({ isDone: true, users: 1 })
  })

  it('database delete deletes more rows than fit in one batch', async ({ usher }) => {
    const { id, path } = await usher.newDatabase()
    await usher.store.prisma.$executeRaw`
      INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
      SELECT ${id}::uuid, gen_random_uuid(), n::text, n::text, '', now() FROM generate_series(1, 2500) AS n`
    expect(await usher.json(`database delete ${path} --yes`)).toMatchObject({ users: 2500 })
  })

  it('database delete asks for the name on a terminal', async ({ usher }) => {
    const { path } = await usher.newDatabase()
    const command = `database delete ${path}`
    expect(await usher.outcome(command, ['app'])).toMatch(
      /^1 .*Type .* to delete it and everything in it: .*usher: the name does not match\. Nothing was changed\n$/s,
    )
    expect(await usher.rows('database list')).toContainEqual(
      expect.objectContaining({ isBeingDeleted: false }),
    )
    expect(await usher.operator(command, [path])).toMatchObject({ code: 0 })
    expect(await usher.outcome(`${command} --yes`)).toBe(`3 usher: database ${path} does not exist\n`)
  })

  it('database delete requires a terminal or --yes', async ({ usher }) => {
    const { path } = await usher.newDatabase()
    expect(await usher.outcome(`database delete ${path}`)).toBe(
      `2 usher: deleting ${path} without a terminal requires --yes\n`,
    )
  })
})

it('workspace delete requires that the workspace has no databases', async ({ usher }) => {
  const { path, workspaceSlug } = await usher.newDatabase()
  const command = `workspace delete ${workspaceSlug}`
  expect(await usher.outcome(command)).toBe(
    `1 usher: workspace ${workspaceSlug} has databases. Delete them first with: npx @usher/server database delete ${workspaceSlug}/DATABASE\n`,
  )
  await usher.operator(`database delete ${path} --yes`)
  const { stdout, audited } = await usher.operator(command)
  expect(stdout).toBe(`Deleted workspace ${workspaceSlug}.\n`)
  expect(audited).toMatchObject([{ audit: 'workspace.deleted', workspaceId: expect.any(String) }])
  expect(await usher.outcome(command)).toBe(`3 usher: workspace ${workspaceSlug} does not exist\n`)
})

it('workspace create and database create write audit records', async ({ usher }) => {
  const workspace = await usher.operator('workspace create audited')
  const database = await usher.operator('database create audited/app')
  expect([...workspace.audited, ...database.audited]).toMatchObject([
    { audit: 'workspace.created', workspaceId: expect.any(String) },
    { audit: 'database.created', databaseId: expect.any(String) },
  ])
})
