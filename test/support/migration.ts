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

/** A migration of the next version, which only adds, as the rules of docs/scale-out.md require. */
export const nextMigration = {
  name: '29990101000000_next',
  sql: `
ALTER TABLE usher."user" ADD COLUMN nickname TEXT;
ALTER TABLE usher.tenant ADD COLUMN plan TEXT NOT NULL DEFAULT 'free';
CREATE INDEX user_created_at ON usher."user" (database_id, created_at);
CREATE TABLE usher.note (
  database_id UUID, user_id UUID, text TEXT, PRIMARY KEY (database_id, user_id),
  FOREIGN KEY (database_id, user_id) REFERENCES usher."user" (database_id, id) ON DELETE CASCADE
);
`,
}
