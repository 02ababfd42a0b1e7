import { expect, it } from 'vitest'
import { createPostgresDatabase } from '../../support/store.js'
import { startDescribed } from './described-server.js'
import { compare, missingOf } from './peers.js'
import { readDescriptions, ServerDescription } from './server-description.js'

/** A server that signs up and logs in anyone, and returns 429 to every third login. */
const strictServer = `
  let logins = 0
  require('node:http').createServer(({ url }, response) => {
    const isRefused = url === '/login' && ++logins % 3 === 0
    response.writeHead(isRefused ? 429 : 200, { 'set-cookie': 'session=secret; Path=/' })
    response.end(isRefused ? 'slow down' : '{}')
  }).listen(process.argv[1], '127.0.0.1')`

const strict: ServerDescription = {
  name: 'Strict',
  version: '1.0.0',
  hash: 'none',
  settings: 'none',
  needs: ['program'],
  install: 'nothing',
  env: {},
  prepare: [],
  start: { command: '{node}', args: ['-e', strictServer, '{port}'] },
  ready: '/',
  requests: {
    create: { method: 'POST', path: '/create', body: { email: '{email}' }, status: 200 },
    login: { method: 'POST', path: '/login', status: 200, credential: { cookie: 'session' } },
    me: { method: 'GET', path: '/me', headers: { cookie: 'session={credential}' }, status: 200 },
  },
}

const short = { rounds: 1, seconds: 0.2, warmUpSeconds: 0 }
const say = () => undefined

it('measures the server that a file describes', async () => {
  const described = (await readDescriptions()).get('usher')
  if (!described) throw new Error('no description')
  // Prevents shed logins on a slow machine.
  const description = { ...described, env: { ...described.env, HASH_QUEUE_SECONDS: '60' } }
  const { url, drop } = await createPostgresDatabase('template0')
  const usher = await startDescribed(description, { folder: process.cwd(), databaseUrl: url }, 2)
  try {
    const [, , ...rows] = (await compare({ Usher: usher }, short, say)).split('\n')
    expect(rows.map((row) => row.split(' | ')[0])).toEqual(['| me', '| me-64', '| login', '| create'])
    for (const row of rows) expect(row).toMatch(/^\| [\w-]+ \| Usher \| [1-9][\d.]* \|.* \| 1\.00 \|$/)
  } finally {
    await usher.stop()
    await drop()
  }
})

it('stops at a response with another status, and prints it', async () => {
  const server = await startDescribed(strict, { folder: '.', databaseUrl: '' }, 2)
  try {
    const compared = compare({ Usher: server }, short, say)
    await expect(compared).rejects.toThrow(/^Usher, login, .* not 200:\nHTTP\/1\.1 429 [\s\S]*slow down/)
  } finally {
    await server.stop()
  }
})

it('stops before it measures if a user cannot log in', async () => {
  await expect(startDescribed(strict, { folder: '.', databaseUrl: '' }, 3)).rejects.toMatchObject({
    cause: { message: 'POST /login returned 429 instead of 200: slow down' },
  })
})

it('names what a server lacks', () => {
  expect(missingOf({ ...strict, needs: ['package.json', 'program'] }, '.')).toEqual(['program'])
})

it('rejects a description with an unknown placeholder', () => {
  const { error } = ServerDescription.safeParse({ ...strict, env: { PORT: '{prot}' } })
  expect(error?.issues[0]?.message).toMatch(/^\{prot\} is none of the placeholders node, folder/)
})
