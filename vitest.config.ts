import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const embedded = { storeKind: 'embedded', instances: 0, isLab: false } as const
const postgres = { storeKind: 'postgres', instances: 0, isLab: false } as const
const instances = { storeKind: 'postgres', instances: 2, isLab: false } as const

/** @param provide store that `openTestStore` opens, and number of servers that serve the requests of a test */
function project(
  name: string,
  provide: { storeKind: 'embedded' | 'postgres'; instances: number; isLab: boolean },
  include: string[],
  more = {},
) {
  return {
    // Sources instead of builds, so that tests need no build after a change.
    resolve: { conditions: ['@usher/source'] },
    ssr: { resolve: { conditions: ['@usher/source'] } },
    test: {
      name,
      provide,
      include,
      exclude: ['**/node_modules/**', '**/generated/**'],
      setupFiles: ['test/support/setup.ts'],
      // The files of a worker share its modules, because importing the sources again takes about a second per file.
      isolate: false,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // For busy machines.
      expect: { poll: { timeout: 10_000 } },
      ...more,
    },
  }
}

const lab = project('lab', { ...embedded, isLab: true }, ['test/lab/**/*.test.ts'], {
  exclude: ['test/lab/citus/**', '**/node_modules/**', '**/generated/**'],
  // Parallel files would distort measured recovery times.
  fileParallelism: false,
  testTimeout: 1_800_000,
})

/** They start clusters of their own, and need a Postgres that has Citus: `npm run lab:citus`. */
const citus = project('citus', postgres, ['test/lab/citus/**/*.test.ts'], {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  fileParallelism: false,
})

const projects = [
  // Tests of one kind of store open that kind. All others open Postgres, which takes half the CPU time.
  project('postgres', postgres, ['test/!(instances|lab)/**/*.test.ts']),
  // The operations of the specification. test/store/embedded-operations.test.ts runs every operation on this store.
  project('embedded', embedded, ['test/api/{create-user,login,me}.test.ts', 'test/store/migrate.test.ts']),
  // Several servers behind a proxy, which share a Postgres server through PgBouncer.
  project('instances', instances, [
    'test/api/{throttle,idempotency,isolation,sessions,linking-races,passkey-races}.test.ts',
    'test/store/migrate.test.ts',
    'test/instances/**/*.test.ts',
  ]),
]

/** Experiments in their short form. */
const short = project('short', postgres, [
  'test/lab/{faults,histories,hostile,isolation,plans,revocations}/**/*.test.ts',
  // The others need a quiet machine.
  'test/lab/console/screens.test.ts',
])

/** Each test's store is distributed over a cluster. */
const distributed = project('distributed', postgres, ['test/{api,cli}/**/*.test.ts'])

const projectsOf: Record<string, typeof projects> = {
  lab: [lab],
  short: [short],
  citus: [citus],
  distributed: [distributed],
}

// `npm run lab` uses the mode `lab`, `npm run lab:short` the mode `short`, `npm run lab:citus` the modes `citus` and
// `distributed`.
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Two more than cores, because tests wait for servers and browsers.
    maxWorkers: availableParallelism() + 2,
    projects: projectsOf[mode] ?? projects,
  },
}))
