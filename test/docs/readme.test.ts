import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startChild } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'
import { createPostgresDatabase } from '../support/store.js'

const has = (command: string) => spawnSync(command, ['version']).error === undefined
const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const scripts = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).scripts

/** The code blocks in order: shell commands, and the JSON that the README says they answer. */
const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({
  language,
  text,
}))
const requests = blocks.flatMap(({ language, text }, i) =>
  language === 'sh' && text.includes('curl') ? [{ command: text, answer: blocks[i + 1]?.text ?? '' }] : [],
)
const blockWith = (text: string) => {
  const block = blocks.find((each) => each.language === 'sh' && each.text.includes(text))
  if (!block) throw new Error(`the README has no commands with ${text}`)
  return block.text
}

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'usher-readme-'))
})
afterAll(() => rm(scratch, { recursive: true }))

/** `npm start` without the build, which was made before the tests and serves other tests at this moment. */
const start = 'npm start --ignore-scripts'

it('begins with two commands that npm knows', () => {
  expect(blocks[0]?.text).toBe('npm ci && npm start\n')
  expect(blocks[1]?.text).toBe('npm ci && npm test\n')
  expect(scripts).toMatchObject({
    prestart: expect.any(String),
    start: expect.any(String),
    test: expect.any(String),
  })
})

describe.skipIf(!has('curl'))('the requests of the README', () => {
  it('get the answers that it shows', async () => {
    const port = String(await freePort())
    const env = { PORT: port, DATA_DIR: join(scratch, 'store'), HOME: scratch }
    const server = startChild('sh', ['-c', `exec ${start}`], env)
    await server.printed('Server listening')
    expect(requests.length).toBe(4)
    for (const { command, answer } of requests) {
      const script = command.replaceAll('localhost:3000', `localhost:${port}`)
      const { stdout } = await promisify(execFile)('sh', ['-c', script])
      expect(shapeOf(JSON.parse(stdout))).toEqual(shapeOf(JSON.parse(answer)))
    }
    server.signal('SIGTERM')
    await server.ended
  })
})

describe('the commands for the example', () => {
  const commands = blocks.map(({ text }) => text).filter((text) => text.includes('npm run example'))

  it.each(commands)('serve its page: %s', async (command) => {
    const port = String(await freePort())
    const script = command.replace(
      /^(.*)npm run example/,
      `$1exec npm run example -- --port ${port} --strictPort`,
    )
    const server = startChild('sh', ['-ec', script.replace(/^(\S+=.*) exec /, 'export $1; exec ')], {
      HOME: scratch,
    })
    await server.printed(`http://localhost:${port}/`)
    expect(await (await fetch(`http://localhost:${port}/`)).text()).toContain('<title>Usher example</title>')
    server.signal('SIGTERM')
    await server.ended
  })
})

describe.skipIf(!has('openssl'))('the commands for a Postgres server', () => {
  it('end in a server that is ready', async () => {
    const { url, drop } = await createPostgresDatabase('template0')
    const port = String(await freePort())
    const script = blockWith('DATABASE_URL=')
      .replace(/DATABASE_URL=\S+/, `DATABASE_URL=${url}`)
      .replace('npm start', `exec ${start}`)
    const server = startChild('sh', ['-ec', script], { PORT: port, HOME: scratch })
    await server.printed('Server listening')
    expect(server.output.stdout).toContain('acme/app')
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
    server.signal('SIGTERM')
    await server.ended
    await drop()
  })
})

/** Values apart from what they are: ids, tokens and times differ each time, all else is as shown. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
  }
  if (typeof value !== 'string') return value
  return value
    .replace(/^[0-9a-f-]{36}$/, 'uuid')
    .replace(/^eyJ.*/, 'jwt')
    .replace(/^\d{4}-\d\d-\d\dT.*Z$/, 'time')
    .replace(/localhost:\d+/, 'localhost')
}
