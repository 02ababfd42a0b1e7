import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, vi } from 'vitest'
import { isInstalled } from '../clients/installed.js'
import { startChild } from '../support/child.js'
import { it } from '../support/operator.js'
import { freePort } from '../support/postgres-server.js'

const guide = await readFile(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8')
const hasPython = spawnSync('python3', ['--version']).status === 0

it.for([['node', 'receiver.mjs'], ...(hasPython ? [['python3', 'receiver.py'] as const] : [])] as const)(
  'the receiver of docs/guides/webhooks.md for %s accepts genuine events only, each once',
  async ([command, name], { usher, database }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-webhook-'))
    const file = join(folder, name)
    // As npm creates it: without a type.
    await writeFile(join(folder, 'package.json'), '{}')
    await writeFile(file, guide.match(new RegExp(`\`\`\`\\w+ ${name}\n(.*?)\`\`\``, 's'))?.[1] ?? '')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    const { webhookSecret } = await usher.json(`database set ${database.path} --webhook-url ${url}`)
    const receiver = startChild(command, [file], { WEBHOOK_SECRET: webhookSecret, PORT: String(port) })
    const post = async (headers: Record<string, string>, body = '{"type":"forged"}') =>
      (await fetch(url, { method: 'POST', headers, body })).status
    await vi.waitFor(async () => expect(await post({})).toBe(401), 10_000)
    const cut = connect(port, '127.0.0.1')
    await once(cut, 'connect')
    cut.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{')
    await once(cut.resume(), 'close')
    expect(await post({})).toBe(401)

    await database.signedUp({ newTenant: 'Engines' })
    const printed = ['user.created', 'tenant.created', 'tenant.user_added']
    await vi.waitFor(() => expect(receiver.output.stdout.trim().split(/\r?\n/)).toEqual(printed), 10_000)

    const body = '{"type":"user.deleted"}'
    const signed = (secret: string, seconds = 0) => {
      const at = new Date(Date.now() + seconds * 1000)
      return {
        'webhook-id': 'one',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v2,other ${new Webhook(secret).sign('one', at, body)}`,
      }
    }
    expect(await post(signed(`whsec_${'A'.repeat(43)}=`), body)).toBe(401)
    expect(await post(signed(webhookSecret, -400), body)).toBe(401)
    expect(await post(signed(webhookSecret), '{"type":"user.deleted" }')).toBe(401)
    expect(await post(signed(webhookSecret), body)).toBe(204)
    expect(await post(signed(webhookSecret), body)).toBe(204)
    await vi.waitFor(
      () => expect(receiver.output.stdout.trim().split(/\r?\n/)).toEqual([...printed, 'user.deleted']),
      10_000,
    )
    receiver.signal('SIGKILL')
    expect(await receiver.ended).toMatchObject({ stderr: expect.not.stringContaining('Warning') })
    await rm(folder, { recursive: true })
  },
)

it.skipIf(!isInstalled)(
  'the receiver of docs/guides/webhooks.md for Express accepts genuine events only, each once',
  async ({ usher, database }) => {
    // Express is in the package of test/clients.
    const folder = await mkdtemp(resolve('test/clients', '.webhooks-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'receiver.mjs')
    await build({
      stdin: {
        contents: guide.match(/```ts receiver.ts\n(.*?)```/s)?.[1] ?? '',
        loader: 'ts',
        resolveDir: resolve('test/verify'),
      },
      ...{ bundle: true, external: ['express'], conditions: ['@usher/source'] },
      ...{ platform: 'node', format: 'esm', outfile: file },
    })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/usher-events`
    const { webhookSecret } = await usher.json(`database set ${database.path} --webhook-url ${url}`)
    vi.stubEnv('WEBHOOK_SECRET', webhookSecret)
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const { app } = await import(/* @vite-ignore */ file)
    const server = app.listen(port, '127.0.0.1')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
      vi.unstubAllEnvs()
      vi.restoreAllMocks()
    })
    await once(server, 'listening')
    const post = async (headers: Record<string, string>, body = '{"type":"forged"}') =>
      (await fetch(url, { method: 'POST', headers, body })).status
    const isWarned = ['', '{}'].map((body) => post({ 'content-type': 'text/plain' }, body))
    expect(await Promise.all(isWarned)).toEqual([401, 401])
    expect(warn).toHaveBeenCalledTimes(2)

    const { id } = await database.signedUp({ newTenant: 'Engines' })
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith(id), 10_000)
    const at = new Date()
    const body = JSON.stringify({ type: 'user.created', data: { userId: 'Ada' } })
    const headers = {
      'webhook-id': 'one',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(webhookSecret).sign('one', at, body),
    }
    expect([await post(headers, body), await post(headers, body), await post(headers)]).toEqual([
      204, 204, 401,
    ])
    expect(log.mock.calls).toEqual([[id], ['Ada']])
  },
)
