import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import type { createClient as CreateClient } from '@usher/sdk'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { ada, app, credentials, signedIn, stubFetch, user } from './stub-fetch.js'

const run = promisify(execFile)

it('requires only fetch, AbortController and timers of a runtime', async () => {
  const { outputFiles } = await build({
    entryPoints: ['sdk/index.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'sdk',
    write: false,
  })
  const { fetch } = stubFetch(
    () => signedIn('a', 201),
    () => signedIn('b'),
    user,
  )
  const context = createContext({ fetch, AbortController, setTimeout, clearTimeout })
  runInContext(outputFiles[0]?.text ?? '', context)
  const usher: ReturnType<typeof CreateClient> = runInContext('sdk', context).createClient(app)
  expect((await usher.createUser(credentials)).error).toBeUndefined()
  expect((await usher.login(credentials)).error).toBeUndefined()
  expect((await usher.me()).data).toEqual(ada)
})

it('does not compile with globals that only some runtimes have', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-platform-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const leaks = [
    'process',
    'Buffer',
    'document',
    'window',
    'localStorage',
    'navigator',
    'setImmediate',
    'Deno',
  ]
  await writeFile(join(folder, 'leaks.ts'), leaks.map((name) => `export const a${name} = ${name}\n`).join(''))
  const config = {
    extends: resolve('sdk/tsconfig.json'),
    compilerOptions: { rootDir: folder, noEmit: true, composite: false },
    include: [resolve('sdk/platform.d.ts'), 'leaks.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder]).catch(
    (failure) => failure,
  )
  for (const name of leaks) expect(stdout).toContain(`Cannot find name '${name}'`)
})
