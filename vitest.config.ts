import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const embedded = { storeKind: 'embedded', instances: 0, isLab: false } as const
const postgres = { storeKind: 'postgres', instances: 0, isLab: false } as const
const instances = { storeKind: 'postgres', instances: 2, isLab: false } as const

/** @param provide which store `openTestStore` opens, and how many servers answer the requests of a test */
function project(
  name: string,
  provide: { storeKind: 'embedded' | 'postgres'; instances: number; isLab: boolean },
  include: string[],
  more = {},
) {
  return {
    // Sources instead of builds, so that a change needs no build to be tested.
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] } },
    test: {
      name,
      provide,
      include,
      exclude: ['**/node_modules/**', '**/generated/**'],
      setupFiles: ['test/support/setup.ts'],
      // The files of a worker share its modules: importing the sources again costs each about a second.
      isolate: false,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      ...more,
    },
  }
}

const lab = project('lab', { ...embedded, isLab: true }, ['test/lab/**/*.test.ts'], {
  // They measure how long a recovery takes.
  fileParallelism: false,
  testTimeout: 1_800_000,
})

const projects = [
  // Every test. Those of one kind of store open that kind, all others the embedded store.
  project('embedded', embedded, ['test/**/*.test.ts'], {
    exclude: ['test/instances/**', '**/node_modules/**', '**/generated/**'],
  }),
  // What both kinds of store must do alike.
  project('postgres', postgres, ['test/api/**/*.test.ts', 'test/store/migrate.test.ts']),
  // Several servers behind a proxy, which share a Postgres server through PgBouncer.
  project('instances', instances, [
    'test/api/{create-user,login,throttle,idempotency,isolation}.test.ts',
    'test/store/migrate.test.ts',
    'test/instances/**/*.test.ts',
  ]),
]

// `npm run lab` uses the mode `lab`.
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: Math.max(2, availableParallelism()),
    projects: mode === 'lab' ? [lab] : projects,
  },
}))
