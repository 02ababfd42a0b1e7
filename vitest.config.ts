import { defineConfig } from 'vitest/config'

const onBoth = [
  'test/api/**/*.test.ts',
  'test/store/migrate.test.ts',
  'test/server/cli.test.ts',
  'test/server/user-import.test.ts',
]
const source = { resolve: { conditions: ['source'] }, ssr: { resolve: { conditions: ['source'] } } }
const limits = { testTimeout: 60_000, hookTimeout: 60_000 }

// These run twice: over the embedded store and over a real Postgres server.
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
          exclude: ['test/postgres/**', 'test/faults/**', '**/node_modules/**', '**/generated/**'],
          provide: { storeKind: 'embedded' },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'postgres',
          include: [...onBoth, 'test/postgres/**/*.test.ts'],
          provide: { storeKind: 'postgres' },
        },
      },
      {
        ...source,
        test: {
          ...limits,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          provide: { storeKind: 'postgres' },
          // One after the other, when the rest is done: they measure how long a recovery takes.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
