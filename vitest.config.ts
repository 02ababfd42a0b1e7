import { defineConfig } from 'vitest/config'

const api = ['test/api/**/*.test.ts']
const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }

// The API suite runs twice: over the embedded store and over a real Postgres server.
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
          exclude: ['test/postgres/**', '**/node_modules/**', '**/generated/**'],
          provide: { storeKind: 'embedded' },
        },
      },
      {
        ...source,
        test: {
          name: 'postgres',
          include: [...api, 'test/postgres/**/*.test.ts'],
          provide: { storeKind: 'postgres' },
        },
      },
    ],
  },
})
