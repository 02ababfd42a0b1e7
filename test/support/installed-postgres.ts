import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const needed = ['initdb', 'postgres', 'pg_dump', 'pg_restore']

// biome-ignore lint/style/noProcessEnv: where the programs of this machine are
const { PATH = '', PG_CONFIG = 'pg_config' } = process.env

/** Returns the folder of an installed Postgres, with server and tools of one version, or undefined. */
export function findInstalledPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).filter((name) => Number(name) >= 15) : []
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...PATH.split(delimiter)]
  return folders.find((folder) => needed.every((program) => existsSync(join(folder, program))))
}

/** The folder of the programs of the Postgres that PG_CONFIG names, or undefined if it has no Citus. */
export function findCitus(): string | undefined {
  const { stdout } = spawnSync(PG_CONFIG, ['--bindir', '--sharedir'], { encoding: 'utf8' })
  const [bin = '', share = ''] = (stdout ?? '').trim().split('\n')
  return existsSync(join(share, 'extension', 'citus.control')) ? bin : undefined
}
