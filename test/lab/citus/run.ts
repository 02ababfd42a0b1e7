import { spawnSync } from 'node:child_process'
import { findCitus } from '../../support/installed-postgres.js'

// Runs the experiments on a real Citus cluster, all or some: npm run lab:citus [-- PART …]

const none = `PG_CONFIG names no Postgres that has Citus.

Citus is an extension of PostgreSQL: https://github.com/citusdata/citus (13.2 for PostgreSQL 15 to 17). Install it for a
Postgres of your own with its package or from its source, then name that Postgres:

  PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config npm run lab:citus
`

/** `suites` are those of the API and of the command line, each test's store being distributed. */
const parts = ['suites', 'distribute', 'statements', 'failures', 'deliveries', 'growth', 'rates']

const chosen = process.argv.slice(2)
const unknown = chosen.filter((part) => !parts.includes(part))
if (unknown.length > 0) end(`There is no part ${unknown.join(', ')}: use some of ${parts.join(', ')}.\n`, 2)
if (!findCitus()) end(none, 1)

for (const part of chosen.length > 0 ? chosen : parts) {
  const mode =
    part === 'suites' ? ['--mode', 'distributed'] : ['--mode', 'citus', `test/lab/citus/${part}.test.ts`]
  const command = ['node_modules/vitest/vitest.mjs', 'run', ...mode]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  process.exitCode ||= status ?? 1
}

function end(text: string, code: number): never {
  process.stderr.write(text)
  process.exit(code)
}
