import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { startChild } from '../support/child.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const vite = `${root}/node_modules/vite/bin/vite.js`

/** Serves the example for a database. Returns its URL. */
export async function startExample(
  folder: string,
  server: { baseUrl: string; workspace: string; database: string },
  port: number,
) {
  const names = {
    VITE_USHER_URL: server.baseUrl,
    VITE_USHER_WORKSPACE: server.workspace,
    VITE_USHER_DATABASE: server.database,
  }
  const outDir = join(folder, 'example')
  const of = [`${root}/sdk/example`, '--outDir', outDir]
  // A page loads faster from a build than from the server of `npm run example`, module by module.
  const built = await startChild(process.execPath, [vite, 'build', ...of], names).ended
  expect(built.code, built.stderr).toBe(0)
  const example = startChild(process.execPath, [vite, 'preview', ...of, '--port', String(port)])
  await example.printed('Local:')
  return `http://localhost:${port}`
}
