import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect } from 'vitest'
import { it } from '../support/api.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const document = `${root}contract/openapi.json`

const run = async (script: string, ...args: string[]) => {
  const options = { cwd: here }
  await promisify(execFile)(process.execPath, [script, ...args], options).catch((error) => {
    throw new Error(`${script} failed:\n${error.stdout}${error.stderr}`)
  })
}

beforeAll(async () => {
  await rm(`${here}generated`, { recursive: true, force: true })
  // The generator imports the compiler API, which the TypeScript in test/clients has and the one in the root lacks.
  await cp(`${root}node_modules/@hey-api`, `${here}generated/node_modules/@hey-api`, { recursive: true })
  await Promise.all([
    run('generated/node_modules/@hey-api/openapi-ts/bin/run.js', '-i', document, '-o', 'generated/hey-api'),
    run('node_modules/openapi-typescript/bin/cli.js', document, '-o', 'generated/openapi-typescript.d.ts'),
  ])
})

it('compiles the generated clients', () => run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'))

it.for(['use-openapi-fetch', 'use-hey-api'])(
  'signs up, logs in and reads the user with %s',
  async (client, { origin, database }) => {
    const { callEveryOperation } = await import(`./${client}.ts`)
    const email = `${client}@example.com`
    const result = await callEveryOperation(origin, database, email)
    expect(result).toEqual({
      id: expect.any(String),
      tenants: [expect.any(String)],
      email,
      code: 'email_taken',
    })
  },
)
