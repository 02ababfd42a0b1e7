import { defineConfig } from 'vitest/config'

/** Settings of every project. Each says which store `openTestStore` opens, and how many servers answer `startApi`. */
function project(
  name: string,
  provided: { storeKind: 'embedded' | 'postgres'; instances: number; isLab: boolean },
  include: string[],
  more = {},
) {
  return {
    // Sources instead of builds, so that a change needs no build to be tested.
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] } },
    test: { testTimeout: 60_000, hookTimeout: 60_000, name, include, provide: provided, ...more },
  }
}

const embedded = { storeKind: 'embedded', instances: 0, isLab: false } as const
const postgres = { storeKind: 'postgres', instances: 0, isLab: false } as const
const instances = { storeKind: 'postgres', instances: 2, isLab: false } as const

// `npm run lab` uses the mode `lab`: one file at a time, because the experiments measure how long a recovery takes.
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    projects:
      mode === 'lab'
        ? [
            project('lab', { ...embedded, isLab: true }, ['test/lab/**/*.test.ts'], {
              testTimeout: 1_800_000,
              fileParallelism: false,
            }),
          ]
        : [
            // Every test, on the embedded store; those of one kind of store open that.
            project('embedded', embedded, ['test/**/*.test.ts'], {
              exclude: ['test/instances/**', 'test/lab/faults/**', '**/node_modules/**', '**/generated/**'],
            }),
            // What both kinds of store must do alike, on a Postgres server.
            project('postgres', postgres, ['test/api/**/*.test.ts', 'test/store/migrate.test.ts']),
            // Several servers behind a proxy, which share a store through PgBouncer.
            project('instances', instances, [
              'test/api/{create-user,login,throttle,idempotency,isolation}.test.ts',
              'test/store/migrate.test.ts',
              'test/instances/**/*.test.ts',
            ]),
            // One after the other, when the rest is done: each loads the machine as much as it can.
            project('faults', postgres, ['test/lab/faults/**/*.test.ts'], {
              fileParallelism: false,
              sequence: { groupOrder: 1 },
            }),
          ],
  },
}))
