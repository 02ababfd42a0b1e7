import { execFile } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openApi30Document, openApiDocument } from '@usher/contract/openapi'
import { beforeAll, expect, onTestFinished } from 'vitest'
import { it } from '../support/api.js'
import { isInstalled } from './installed.js'
import { addToDocument, laterBody, laterCode } from './later-document.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const generated = `${here}generated`
const clients = ['use-openapi-fetch', 'use-hey-api']
const document = openApiDocument('http://localhost:3000', '0.0.0')

const run = async (script: string, ...args: string[]) => {
  const options = { cwd: here }
  await promisify(execFile)(process.execPath, [script, ...args], options).catch((error) => {
    throw new Error(`${script} failed:\n${error.stdout}${error.stderr}`)
  })
}

/** Writes the document and the clients of it into a folder. */
async function generate(api: object, folder: string) {
  const file = `${folder}/openapi.json`
  await mkdir(folder, { recursive: true })
  await writeFile(file, JSON.stringify(api))
  const heyApi = 'node_modules/@hey-api/openapi-ts/bin/run.js'
  await run(heyApi, '-f', 'hey-api.config.cjs', '-i', file, '-o', `${folder}/hey-api`)
  await run('node_modules/openapi-typescript/bin/cli.js', file, '-o', `${folder}/openapi-typescript.d.ts`)
}

beforeAll(async () => {
  if (!isInstalled) return
  await rm(generated, { recursive: true, force: true })
  const later = `${generated}/later`
  await Promise.all([
    generate(document, generated),
    generate(openApi30Document('http://localhost:3000', '0.0.0'), `${generated}/openapi-3.0`),
    generate(addToDocument(document), `${later}/generated`),
  ])
  for (const client of clients) await cp(`${here}${client}.ts`, `${later}/${client}.ts`)
}, 120_000)

it.skipIf(!isInstalled)(
  'compiles the generated clients, also those of the OpenAPI 3.0 document and of a later one',
  () => run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'),
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
