import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../server/config.js'
import type { Mail } from '../../server/domain/mail/mailer.js'
import { startUsher } from '../../server/index.js'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { runUsher } from '../support/command-line.js'
import { openPostgres } from '../support/open-store.js'
import { createDataFolder, createPostgresSettings } from '../support/store.js'

it('startUsher sends mails with the given function', async () => {
  const folder = await createDataFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  const config = loadConfig({ ...cheapHashes, HASH_QUEUE_SECONDS: '60', DATA_DIR: folder })
  const log = pino({ level: 'silent' })
  const mail = await new Promise<Mail>((resolve, reject) => {
    const sendMail = async (mail: Mail) => resolve(mail)
    startUsher(config, { log, sendMail }).then(async ({ app, close }) => {
      onTestFinished(close)
      const url = '/workspaces/demo/databases/app/users'
      const payload = { email: 'ada@example.com', password: 'correct horse battery' }
      const { statusCode, body } = await app.inject({ method: 'POST', url, payload })
      // Without an account there is no mail to wait for.
      if (statusCode !== 201) reject(new Error(body))
      await app.inject({ method: 'POST', url: `${url}/password-reset`, payload: { email: payload.email } })
    }, reject)
  })
  expect(mail.to).toBe('ada@example.com')
})

it('startUsher refuses STORE_NODE_CONNECTIONS if the store is not distributed', async () => {
  const { env, remove } = await createPostgresSettings()
  onTestFinished(remove)
  const config = loadConfig({ ...cheapHashes, ...env, STORE_NODE_CONNECTIONS: '4' })
  await expect(startUsher(config, { log: pino({ level: 'silent' }) })).rejects.toThrow(
    /STORE_NODE_CONNECTIONS needs a distributed store/,
  )
})

it('startUsher refuses to move the console from the host of operators’ passkeys, until a command accepts it', async () => {
  const { env, remove } = await createPostgresSettings()
  onTestFinished(remove)
  const start = async (settings: { BASE_URL?: string; CONSOLE_URL?: string }) => {
    const config = loadConfig({ ...cheapHashes, ...env, CONSOLE: 'on', ...settings })
    const { context, close } = await startUsher(config, { log: pino({ level: 'silent' }) })
    const { appUrl, id } = (await context.findOperators()) ?? {}
    await close()
    return { appUrl, id: String(id) }
  }
  const BASE_URL = 'https://id.example.com'
  await start({ BASE_URL: 'https://former.example.com' })
  const { id: databaseId, appUrl } = await start({ BASE_URL })
  expect(appUrl).toBe('https://id.example.com/console')
  // A command has the settings of its shell, and does not move the console.
  const added = await runUsher(['operator', 'add', 'ada@example.com', '--json'], { ...env })
  const { operator, link } = JSON.parse(added.stdout)
  expect(link).toMatch(/^https:\/\/id\.example\.com\/console\/reset-password#/)

  const store = await openPostgres(
    String(env.DATABASE_URL),
    Buffer.from(String(env.USHER_MASTER_KEY), 'base64'),
  )
  const passkey = { kind: 'passkey', credentialId: new Uint8Array([1]), domain: 'id.example.com' }
  await store.prisma.factor.create({
    data: { ...passkey, databaseId, id: randomUUID(), userId: operator.id, createdAt: new Date() },
  })
  await store.close()
  const CONSOLE_URL = 'https://console.example.com'
  for (const moved of [{ BASE_URL, CONSOLE_URL }, { BASE_URL: CONSOLE_URL }, {}]) {
    const refused = start(moved)
    await expect(refused).rejects.toMatchObject({ code: 'passkeys_in_use' })
    await expect(refused).rejects.toThrow(/^CONSOLE_URL, .* Set CONSOLE_URL to that, or accept /)
  }
  expect(await start({ BASE_URL, CONSOLE_URL: `${BASE_URL}/operate` })).toMatchObject({
    appUrl: `${BASE_URL}/operate`,
  })
  const accepted = `database set usher/operators --app-url ${CONSOLE_URL} --force`.split(' ')
  expect(await runUsher(accepted, { ...env })).toMatchObject({ code: 0 })
  expect(await start({ BASE_URL, CONSOLE_URL })).toMatchObject({ appUrl: CONSOLE_URL })
})
