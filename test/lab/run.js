import { spawnSync } from 'node:child_process'

// Runs all long experiments, or one: npm run lab [-- PART [ARGUMENT …]]

const program = (file) => ['--conditions=@usher/source', '--import', 'tsx', `test/lab/${file}.ts`]
const tests = (folder) => ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'lab', `test/lab/${folder}/`]
const parts = {
  bench: program('bench/bench'),
  console: tests('console'),
  faults: tests('faults'),
  histories: tests('histories'),
  hostile: tests('hostile'),
  image: tests('image'),
  isolation: tests('isolation'),
  plans: tests('plans'),
  verify: [...tests('verify'), 'test/lab/revocations/'],
}
/** Parts of other parts, which run by themselves only if they are chosen. */
const inner = { revocations: tests('revocations') }

const [chosen, ...more] = process.argv.slice(2)
const all = { ...parts, ...inner }
if (chosen !== undefined && !(chosen in all)) {
  process.stderr.write(`Unknown part ${chosen}. Use one of ${Object.keys(all).join(', ')}.\n`)
  process.exit(2)
}
for (const [part, args] of Object.entries(all)) {
  if (chosen === undefined ? part in inner : part !== chosen) continue
  const { status } = spawnSync(process.execPath, [...args, ...more], { stdio: 'inherit' })
  process.exitCode ||= status ?? 1
}
