import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../server/config.js'
import { createMailer } from '../../server/domain/mail/mailer.js'
import { loadTemplates } from '../../server/domain/mail/templates.js'
import { createMailFailureLog } from '../../server/domain/outbox/delivery.js'
import { withStore } from '../support/api.js'
import { startApp, type TestApi } from '../support/app.js'
import { runUsher } from '../support/command-line.js'
import { it as operatorTest } from '../support/operator.js'
import { setDatabase } from '../support/operator-changes.js'
import { codeIn, type ReceivedMail, startSmtp } from '../support/smtp.js'
import { createPostgresSettings } from '../support/store.js'

const it = withStore.extend('folder', async ({ storeKind: _ }, { onCleanup }) => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-mail-'))
  onCleanup(() => rm(folder, { recursive: true }))
  return folder
})

/** Signs up a user who requests a mail. */
async function requestMail(api: TestApi, body: object = {}) {
  const database = await api.newDatabase()
  // The servers of other files would send a message that waits.
  onTestFinished(async () => {
    await api.store.prisma.message.deleteMany({ where: { databaseId: database.id } })
  })
  await setDatabase(api.store, database, { appUrl: 'https://app.example.com' })
  const { token } = await database.signedUp({ email: 'ada@example.com', ...body })
  expect((await database.as(token.jwt, 'POST', 'me/email-verification')).statusCode).toBe(202)
  return database
}

it('without SMTP a mail is written to files that only the server can read, and the log names them', async ({
  store,
  folder,
}) => {
  const api = await startApp(store, { DATA_DIR: folder })
  const database = await requestMail(api)
  const [, file = ''] = await vi.waitFor(
    () => api.logged().match(/"file":"(.*?)"/) ?? expect.fail('no file is logged'),
    10_000,
  )
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(
    /^From: Usher <usher@localhost>\nTo: ada@example\.com\nSubject: Verify your email address\n\n/,
  )
  const [, code = ''] = text.match(/\nhttps:\/\/app\.example\.com\/verify-email#code=(\S+)\n/) ?? []
  expect(await readFile(file.replace(/txt$/, 'html'), 'utf8')).toContain(`#code=${code}"`)
  const modes = [file, join(folder, 'mail')].map(async (path) => (await stat(path)).mode & 0o777)
  if (process.platform !== 'win32') expect(await Promise.all(modes)).toEqual([0o600, 0o700])
  expect(await readdir(join(folder, 'mail'))).toHaveLength(2)
  expect(api.logged()).not.toContain(code)
  const verified = await api.send({
    method: 'POST',
    url: `${database.users}/email-verification`,
    payload: { code },
  })
  expect(verified.json()).toEqual({ email: 'ada@example.com' })
  await api.close()
})

it.for(['txt', 'html'])(
  'without SMTP a mail fails if its %s file cannot be written',
  async (extension, { folder }) => {
    const { mail } = loadConfig({ DATA_DIR: folder })
    await mkdir(join(mail.folder, `a.${extension}`), { recursive: true })
    const content = { ...mail, locale: 'en', id: 'a', to: 'ada@example.com', subject: '', text: '', html: '' }
    const sent = createMailer(mail, pino({ level: 'silent' }))(content, new AbortController().signal)
    await expect(sent).rejects.toThrow('EISDIR')
  },
)

it.for([
  ['Ada <ada@example.com>', 'Ada <ada@example.com>'],
  ['ada@example.com', 'ada@example.com'],
])('without SMTP the file of a mail from %s names the sender', async ([MAIL_FROM, from], { folder }) => {
  const { mail } = loadConfig({ DATA_DIR: folder, MAIL_FROM })
  const content = {
    ...mail,
    locale: 'en',
    id: 'a',
    to: 'grace@example.com',
    subject: 'Hello',
    text: 'Text',
    html: '',
  }
  await createMailer(mail, pino({ level: 'silent' }))(content, new AbortController().signal)
  expect(await readFile(join(mail.folder, 'a.txt'), 'utf8')).toBe(
    `From: ${from}\nTo: grace@example.com\nSubject: Hello\n\nText`,
  )
})

it('a mail fails with the code of a connection that was refused', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const { mail } = loadConfig({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'ada@example.com' })
  const content = { ...mail, locale: 'en', id: 'a', to: 'grace@example.com', subject: '', text: '', html: '' }
  const sent = createMailer(mail, pino({ level: 'silent' }))(content, new AbortController().signal)
  await expect(sent).rejects.toThrow(/^SMTP ECONNREFUSED$/)
})

it('templates of a folder replace the default ones, and names cannot add headers or markup', async ({
  store,
  folder,
}) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  await mkdir(join(folder, 'en'))
  const file = join(folder, 'en/email_verification')
  await writeFile(`${file}.txt`, 'Subject: Bonjour {{name}}\n\n{{name}}, cliquez : {{link}}\n')
  await writeFile(`${file}.html`, '<p title="{{name}}">{{name}} {{link}}</p>\n')
  const api = await startApp(store, {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'accounts@example.com',
    MAIL_TEMPLATES: folder,
  })
  const name = 'Ada\r\nBcc: eve\r\n\r\n<b>"'
  await requestMail(api, { preferredName: name })
  await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), 10_000)
  const [{ recipients, parsed, source }] = smtp.mails as [ReceivedMail]
  expect(recipients).toEqual(['ada@example.com'])
  expect(parsed.subject).toBe('Bonjour Ada  Bcc: eve    <b>"')
  expect(parsed.headers.map(({ key }) => key)).not.toContain('bcc')
  expect(source).not.toMatch(/^Bcc/im)
  expect(parsed.text).toContain('<b>", cliquez : https://app.example.com/verify-email#code=')
  expect(parsed.html).toContain('&lt;b&gt;&quot;">')
  expect(codeIn({ parsed })).toMatch(/^[0-9a-f-]{36}\.[\w-]{43}$/)
  await api.close()
})

it('a sender may have any name, and a domain of any script', async ({ store }) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  const MAIL_FROM = 'Käse: Hilfe (EU) <konto@käse.example>'
  const api = await startApp(store, { SMTP_URL: smtp.url, MAIL_FROM })
  await requestMail(api)
  await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), 10_000)
  const [{ parsed }] = smtp.mails as [ReceivedMail]
  expect(parsed.from).toEqual({ name: 'Käse: Hilfe (EU)', address: 'konto@xn--kse-qla.example' })
  expect(parsed.messageId).toMatch(/^<[0-9a-f-]{36}@xn--kse-qla\.example>$/)
  await api.close()
})

/** Starts an SMTP server that sends parts of its first response without end. */
async function startEndlessSmtp() {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 ready\r\n')
    socket.once('data', () => {
      const sending = setInterval(() => socket.write('250-more\r\n'), 20)
      socket.once('close', () => clearInterval(sending))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const connected = once(server, 'connection').then(([socket]) => once(socket, 'data'))
  onTestFinished(() => void server.close())
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, connected }
}

it('a mail fails after 25 s, even if the SMTP server continues to send', async () => {
  const smtp = await startEndlessSmtp()
  const { mail } = loadConfig({ SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const content = { ...mail, locale: 'en', id: 'a', to: 'ada@example.com', subject: '', text: '', html: '' }
  const sent = createMailer(mail, pino({ level: 'silent' }))(content, new AbortController().signal)
  const failed = expect(sent).rejects.toThrow('no response within 25 s')
  await smtp.connected
  vi.advanceTimersByTime(25_000)
  await failed
})

it('a mail that could not be sent before its code expires is logged', async ({ store }) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  smtp.refusal = new Error('no such mailbox')
  const api = await startApp(store, { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  const { id: databaseId } = await requestMail(api)
  const message = () => store.prisma.message.findFirstOrThrow({ where: { databaseId } })
  await vi.waitFor(async () => expect((await message()).lastError).toBe('SMTP EENVELOPE 550'), 10_000)
  // Also long before that.
  expect(api.logged()).toMatch(
    new RegExp(
      `"databaseId":"${databaseId}","message":".{36}","reason":"SMTP EENVELOPE 550","failures":1,"msg":"mails could not be sent"`,
    ),
  )
  const unsent = '"reason":"SMTP EENVELOPE 550","msg":"a message is not retried"'
  expect(api.logged()).not.toContain(unsent)
  api.clock.now += 86_399_000
  await vi.waitFor(() => expect(api.logged()).toContain(`${unsent}`), 10_000)
  await api.close()
})

it('failures of mails are logged once a minute, with their number', () => {
  const lines: object[] = []
  let now = 0
  const note = createMailFailureLog({ warn: (line: object) => void lines.push(line) }, () => now)
  const failure = { databaseId: 'a', message: 'b', reason: 'SMTP ECONNREFUSED' }
  for (now of [0, 1, 59_999, 60_000, 60_001, 200_000]) note(failure)
  expect(lines).toEqual([1, 3, 2].map((failures) => ({ ...failure, failures })))
})

it('a mail that is too old to be sent is logged and counted', async ({ store }) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  smtp.refusal = new Error('no such mailbox')
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com', METRICS_PORT: '1' }
  const api = await startApp(store, settings)
  onTestFinished(() => api.close())
  const { id: databaseId } = await requestMail(api)
  const messages = () => store.prisma.message.findMany({ where: { databaseId } })
  await vi.waitFor(
    async () => expect(await messages()).toMatchObject([{ lastError: expect.any(String) }]),
    10_000,
  )
  api.clock.now += 86_400_000
  await vi.waitFor(async () => expect(await messages()).toEqual([]), 10_000)
  expect(api.logged()).toMatch(/"message":".{36}","msg":"a mail was not sent because its code has expired"/)
  const counts = await api.metrics?.getSingleMetricAsString('usher_messages_total')
  // Mails of other files, which share the store, may have expired too.
  expect(counts).toMatch(/usher_messages_total\{channel="mail",result="expired"\} [1-9]/)
})

it('a server that stops does not wait for an SMTP server', async ({ store }) => {
  const smtp = await startEndlessSmtp()
  const api = await startApp(store, { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  const { id: databaseId } = await requestMail(api)
  await smtp.connected
  await api.close()
  const messages = await store.prisma.message.findMany({ where: { databaseId } })
  expect(messages).toMatchObject([{ lastError: 'the server stopped' }])
})

it('an address with line breaks, which only the store could have, adds no recipient: no mail is sent', async ({
  store,
}) => {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  const api = await startApp(store, { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  const { id: databaseId, users } = await requestMail(api)
  await vi.waitFor(() => expect(smtp.mails.splice(0)).toHaveLength(1), 10_000)
  const email = 'ada@example.com>\r\nRCPT TO:<eve@example.com>\r\nBcc: eve@example.com'
  await store.prisma.user.updateMany({ where: { databaseId }, data: { email } })
  api.clock.now += 60_000
  const payload = { email: 'ada@example.com' }
  await api.send({ method: 'POST', url: `${users}/password-reset`, payload })
  await vi.waitFor(async () => {
    const messages = await store.prisma.message.findMany({ where: { databaseId } })
    expect(messages).toMatchObject([{ lastError: 'SMTP EENVELOPE 501' }])
  }, 10_000)
  expect(smtp.mails).toEqual([])
  await api.close()
})

it.for([
  ['a template without link', 'de/invitation.txt', 'Subject: Hello\n\nno link', 'must contain {{link}}'],
  [
    'a link that may be left out',
    'de/invitation.txt',
    'Subject: Hello\n\n{{#tenant}}{{link}}{{/tenant}}',
    'must contain {{link}}',
  ],
  [
    'an unknown placeholder',
    'de/invitation.txt',
    'Subject: Hello\n\n{{link}} {{password}}',
    'has an unknown placeholder: {{password}}',
  ],
  [
    'an open section',
    'de/invitation.txt',
    'Subject: Hello\n\n{{link}}{{#tenant}}',
    'has an unknown placeholder: {{#tenant}}',
  ],
  [
    'no subject',
    'de/invitation.txt',
    'Hello {{link}}',
    'must begin with a line "Subject: …" and an empty line',
  ],
  [
    'another encoding than UTF-8',
    'de/invitation.txt',
    Buffer.from('Subject: Déjà vu\n\n{{link}}', 'latin1'),
    'cannot be read as UTF-8 (ERR_ENCODING_INVALID_ENCODED_DATA)',
  ],
  ['a large template', 'de/invitation.txt', `${'x'.repeat(8_193)}`, 'must have at most 8192 bytes'],
  [
    'HTML without text',
    'de/invitation.html',
    '<p>{{link}}</p>',
    'needs de/invitation.txt, which is sent with it',
  ],
  ...['invitation.txt', 'de/invite.txt', 'no_tag/invitation.txt', 'de/invitation.md'].map(
    (file) =>
      [
        `the file ${file}`,
        file,
        '',
        'is not LOCALE/MAIL.txt or LOCALE/MAIL.html, such as de/password_reset.txt',
      ] as const,
  ),
] as const)('a server refuses to start with %s', async ([, file, text, error], { folder }) => {
  await mkdir(join(folder, dirname(file)), { recursive: true })
  await writeFile(join(folder, file), text)
  await expect(loadTemplates(folder)).rejects.toThrow(`MAIL_TEMPLATES: ${file} ${error}`)
})

it('a server refuses to start with a folder of templates that does not exist', async ({ folder }) => {
  const { env, remove } = await createPostgresSettings()
  onTestFinished(remove)
  const missing = join(folder, 'templates')
  const { code, stderr } = await runUsher(['serve', '--workers', '1'], { ...env, MAIL_TEMPLATES: missing })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `usher: MAIL_TEMPLATES is not a folder that can be read (ENOENT): ${missing}\n`,
  })
})

operatorTest('user send-reset sends a code without limits', async ({ usher, database }) => {
  const send = `user send-reset ${database.path} ada@example.com`
  const { id } = await database.signedUp({ email: 'ada@example.com' })
  expect(await usher.outcome(send)).toBe(
    `1 usher: the database has no app URL. Set it with: npx @usher/server database set ${database.path} --app-url URL\n`,
  )
  const set = await usher.json(`database set ${database.path} --app-url https://app.example.com/`)
  expect(set.values.appUrl).toBe('https://app.example.com')
  expect((await usher.operator(send)).audited).toMatchObject([{ audit: 'user.reset_sent', userId: id }])
  await usher.json(send)
  const messages = await usher.store.prisma.message.findMany({ where: { databaseId: database.id } })
  expect(messages).toMatchObject(
    Array(2).fill({ kind: 'mail', userId: id, payload: { type: 'password_reset' } }),
  )
  await usher.json(`database set ${database.path} --account-operations off`)
  expect(await usher.outcome(send)).toBe(
    `1 usher: account operations are off. Turn them on with: npx @usher/server database set ${database.path} --account-operations on\n`,
  )
  await usher.json(`database set ${database.path} --account-operations on`)
  await usher.json(`user disable ${database.path} ${id}`)
  expect(await usher.outcome(send)).toBe(`1 usher: user ${id} is disabled\n`)
  expect(await usher.store.prisma.message.count({ where: { databaseId: database.id } })).toBe(0)
})

operatorTest.for([
  ['ftp://app.example.com', 'be an http or https URL, or "none"'],
  ['https://app.example.com/?page=1', 'have no query'],
  ['https://app.example.com/#page', 'have no user name, no password and no fragment'],
] as const)('database set refuses the app URL %s', async ([url, rule], { usher, database }) => {
  expect(await usher.outcome(`database set ${database.path} --app-url ${url}`)).toBe(
    `2 usher: --app-url must ${rule}\n`,
  )
})
