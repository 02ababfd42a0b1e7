import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi } from '../support/app.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const document = `${root}contract/openapi.json`

const run = async (script: string, ...args: string[]) => {
  const options = { cwd: here }
  await promisify(execFile)(process.execPath, [script, ...args], options).catch((error) => {
    throw new Error(`${script} failed:\n${error.stdout}${error.stderr}`)
  })
}

let usher: TestApi
let baseUrl: string
beforeAll(async () => {
  await rm(`${here}generated`, { recursive: true, force: true })
  // Beside a TypeScript that still has the compiler's API, which the generator imports.
  await cp(`${root}node_modules/@hey-api`, `${here}generated/node_modules/@hey-api`, { recursive: true })
  await run(
    'generated/node_modules/@hey-api/openapi-ts/bin/run.js',
    '-i',
    document,
    '-o',
    'generated/hey-api',
  )
  await run('node_modules/openapi-typescript/bin/cli.js', document, '-o', 'generated/openapi-typescript.d.ts')

  usher = await startApi()
  await usher.newDatabase('standard', 'demo')
  await usher.store.prisma.database.updateMany({
    where: { workspace: { slug: 'demo' } },
    data: { name: 'app' },
  })
  await usher.app.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = `http://127.0.0.1:${(usher.app.server.address() as AddressInfo).port}`
})
afterAll(() => usher.close())

it('compile', () => run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'))

it.each(['use-openapi-fetch', 'use-hey-api'])('sign up, log in and ask who they are: %s', async (client) => {
  const { goThrough } = await import(`./${client}.ts`)
  const email = `${client}@example.com`
  const outcome = await goThrough(baseUrl, email)
  expect(outcome).toEqual({
    id: expect.any(String),
    tenants: [expect.any(String)],
    email,
    code: 'email_taken',
  })
})
