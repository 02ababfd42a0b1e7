import { defineConfig } from 'vitest/config'

const onBoth = ['test/api/**/*.test.ts', 'test/store/migrate.test.ts', 'test/server/cli.test.ts']
const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }

// These run twice: over the embedded store and over a real Postgres server.
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        ...source,
        test: {
          name: 'embedded',
          include: ['test/**/*.test.ts'],
          exclude: ['test/postgres/**'],
          provide: { storeKind: 'embedded' },
        },
      },
      {
        ...source,
        test: {
          name: 'postgres',
          include: [...onBoth, 'test/postgres/**/*.test.ts'],
          provide: { storeKind: 'postgres' },
        },
      },
    ],
  },
})
