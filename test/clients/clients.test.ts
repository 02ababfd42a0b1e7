import { execFile } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { managementDocument, openApi30Document, openApiDocument } from '@usher/contract/openapi'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { it } from '../support/management.js'
import { isInstalled } from './installed.js'
import { addToDocument, laterBody, laterCode } from './later-document.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const generated = `${here}generated`
const clients = ['use-openapi-fetch', 'use-hey-api']
const useManagement = 'use-management'
const document = openApiDocument('http://localhost:3000', '0.0.0')

const run = async (script: string, ...args: string[]) => {
  const options = { cwd: here }
  await promisify(execFile)(process.execPath, [script, ...args], options).catch((error) => {
    throw new Error(`${script} failed:\n${error.stdout}${error.stderr}`)
  })
}

/** The documents from which clients are generated, by the folder of the clients. */
const later = `${generated}/later`
const documents = {
  [generated]: document,
  [`${generated}/openapi-3.0`]: openApi30Document('http://localhost:3000', '0.0.0'),
  [`${later}/generated`]: addToDocument(document),
  [`${generated}/management`]: managementDocument('http://localhost:3000', '0.0.0'),
}

beforeAll(async () => {
  if (!isInstalled) return
  await rm(generated, { recursive: true, force: true })
  for (const [folder, api] of Object.entries(documents)) {
    await mkdir(folder, { recursive: true })
    await writeFile(`${folder}/openapi.json`, JSON.stringify(api))
  }
  await run('generate.js', ...Object.keys(documents))
  for (const client of clients) await cp(`${here}${client}.ts`, `${later}/${client}.ts`)
}, 120_000)

it.skipIf(!isInstalled)(
  'compiles the generated clients, also those of the OpenAPI 3.0 document, of a later one and of the management API',
  () => run('../../node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'),
  120_000,
)

it.skipIf(!isInstalled).for(clients)(
  'signs up, logs in and reads the user with %s',
  async (client, { origin, database }) => {
    const { callEveryOperation } = await import(`./${client}.js`)
    const email = `${client}@example.com`
    const result = await callEveryOperation(origin, database, email)
    expect(result).toEqual({
      id: expect.any(String),
      tenants: [expect.any(String)],
      email,
      code: 'email_taken',
      isLater: false,
    })
  },
)

it.skipIf(!isInstalled).for([
  ['openapi-fetch', 'Engines', 'ada@example.com'],
  ['hey-api', 'Looms', 'joseph@example.com'],
] as const)(
  'adds a user to a tenant with an API key and %s',
  async ([client, name, email], { origin, manage }) => {
    const { provision } = await import(`./${useManagement}.js`)
    const { key } = await manage.newKey()
    const result = await provision[client](origin, manage.database, key)
    expect(result).toEqual({ names: [name], emails: [email], code: 'email_taken' })
  },
)

/** Starts a server of a later version, whose responses have additions. */
async function startLaterServer() {
  let signUps = 0
  const server = createServer(({ method, url }, response) => {
    const name =
      method === 'GET' ? 'User' : url?.endsWith('/users') && signUps++ ? 'EmailTaken' : 'SignedInUser'
    const type = name === 'EmailTaken' ? 'application/problem+json' : 'application/json'
    response.writeHead(name === 'EmailTaken' ? 409 : 200, { 'content-type': type })
    response.end(JSON.stringify(laterBody(document, name)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.skipIf(!isInstalled).for(clients)(
  'reads fields and codes that a later server adds with %s',
  async (client) => {
    const { callEveryOperation } = await import(`./${client}.js`)
    const path = { workspaceSlug: 'demo', databaseName: 'app' }
    const result = await callEveryOperation(await startLaterServer(), path, 'ada@example.com')
    expect(result).toEqual({
      id: expect.any(String),
      tenants: [expect.any(String)],
      email: 'ada@example.com',
      code: laterCode,
      isLater: true,
    })
  },
)
