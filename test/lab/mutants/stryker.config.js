import { env } from 'node:process'
import { fileURLToPath } from 'node:url'

const { MUTANT_COVERAGE: coverageAnalysis = 'perTest' } = env
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Mutates the files of a folder, or lines of a file, and runs the tests that execute each mutant. */
export default {
  testRunner: 'vitest',
  plugins: [here('node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
  vitest: { configFile: 'test/lab/mutants/vitest.config.ts', related: false },
  mutate: env.MUTATED.split(' ').map((each) => (/\.ts(:|$)/.test(each) ? each : `${each}/**/*.ts`)),
  // Texts and lists of fields: what a user reads is compared elsewhere, and SQL without a text only fails.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral', 'Regex'] },
  coverageAnalysis,
  // All tests would run for a mutant of what is only executed while a module is loaded.
  ignoreStatic: coverageAnalysis === 'perTest',
  concurrency: 2,
  timeoutMS: 30_000,
  tempDirName: '.usher/mutants',
  ignorePatterns: ['/docs', '/.usher', '/test/clients/node_modules'],
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: '.usher/mutants.json' },
  clearTextReporter: { logTests: false, allowColor: false, allowEmojis: false },
  disableTypeChecks: false,
  // Its rewriting of tsconfig.json needs an earlier TypeScript, and vitest reads none.
  tsconfigFile: '.usher/none.json',
}
