import { rm } from 'node:fs/promises'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../server/config.js'
import type { Mail } from '../../server/domain/mail/mailer.js'
import { startUsher } from '../../server/index.js'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { createDataFolder, createPostgresSettings } from '../support/store.js'

it('startUsher sends mails with the given function', async () => {
  const folder = await createDataFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  const config = loadConfig({ ...cheapHashes, DATA_DIR: folder })
  const log = pino({ level: 'silent' })
  const mail = await new Promise<Mail>((resolve, reject) => {
    const sendMail = async (mail: Mail) => resolve(mail)
    startUsher(config, { log, sendMail }).then(async ({ app, close }) => {
      onTestFinished(close)
      const url = '/workspaces/demo/databases/app/users'
      const payload = { email: 'ada@example.com', password: 'correct horse battery' }
      await app.inject({ method: 'POST', url, payload })
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
