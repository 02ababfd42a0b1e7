import { defineConfig } from 'vitest/config'

const onEach = [
  'test/api/**/*.test.ts',
  'test/store/migrate.test.ts',
  'test/server/cli.test.ts',
  'test/server/user-import.test.ts',
]
const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }
const limits = { testTimeout: 60_000, hookTimeout: 60_000 }

// These run three times: over the embedded store, over a real Postgres server, and over that through PgBouncer,
// with the requests of test/api sent to two servers behind a proxy.
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
          exclude: ['test/postgres/**', 'test/instances/**', '**/node_modules/**', '**/generated/**'],
          provide: { storeKind: 'embedded', instances: 0 },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'postgres',
          include: [...onEach, 'test/postgres/**/*.test.ts'],
          provide: { storeKind: 'postgres', instances: 0 },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'instances',
          include: [...onEach, 'test/instances/**/*.test.ts'],
          provide: { storeKind: 'postgres', instances: 2 },
        },
      },
    ],
  },
})
