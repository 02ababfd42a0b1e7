import { defineConfig } from 'vitest/config'

const onBoth = [
  'test/api/**/*.test.ts',
  'test/store/migrate.test.ts',
  'test/server/cli.test.ts',
  'test/server/user-import.test.ts',
]
const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }
const limits = { testTimeout: 60_000, hookTimeout: 60_000 }

// These run over the embedded store and over a real Postgres server; those of the API and of migrations a third time,
// over that through PgBouncer, with the requests of test/api sent to two servers behind a proxy.
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      {
        ...source,
        test: {
          ...limits,
          name: 'embedded',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{postgres,instances,faults}/**', '**/node_modules/**', '**/generated/**'],
          provide: { storeKind: 'embedded', instances: 0 },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'postgres',
          include: [...onBoth, 'test/postgres/**/*.test.ts'],
          provide: { storeKind: 'postgres', instances: 0 },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'instances',
          include: ['test/api/**/*.test.ts', 'test/store/migrate.test.ts', 'test/instances/**/*.test.ts'],
          provide: { storeKind: 'postgres', instances: 2 },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          provide: { storeKind: 'postgres', instances: 0 },
          // One after the other, when the rest is done: they measure how long a recovery takes.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
