import { env } from 'node:process'
import { defineConfig } from 'vitest/config'

/** The tests that a run of StrykerJS uses, on the embedded store. */
export default defineConfig({
  resolve: { conditions: ['@usher/source'] },
  ssr: { resolve: { conditions: ['@usher/source'] } },
  test: {
    provide: { storeKind: 'embedded', instances: 0, isLab: false },
    include: env.MUTANT_TESTS?.split(' ') ?? [],
    exclude: ['**/node_modules/**', '**/generated/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
