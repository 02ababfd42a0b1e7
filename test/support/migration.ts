import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Creates a folder with one migration. */
export async function createMigration(name: string, sql: string) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-migrations-'))
  await writeMigration(folder, name, sql)
  return pathToFileURL(`${folder}/`)
}

export async function writeMigration(folder: string, name: string, sql: string) {
  await mkdir(join(folder, name))
  await writeFile(join(folder, name, 'migration.sql'), sql)
}
