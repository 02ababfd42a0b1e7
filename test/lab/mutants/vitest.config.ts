import { env } from 'node:process'
import { defineConfig } from 'vitest/config'

/** The tests that a run of StrykerJS uses. Their modules stay loaded, and Postgres is faster than the embedded store. */
export default defineConfig({
  resolve: { conditions: ['@usher/source'] },
  ssr: { resolve: { conditions: ['@usher/source'] } },
  test: {
    provide: { storeKind: 'postgres', instances: 0, isLab: false },
    include: env.MUTANT_TESTS?.split(' ') ?? [],
    exclude: ['**/node_modules/**', '**/generated/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    isolate: false,
    // Most mutants of deliveries let a test wait for a message until it fails.
    testTimeout: 6_000,
    hookTimeout: 60_000,
  },
})
