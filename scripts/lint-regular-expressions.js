// Prints the regular expressions whose steps grow faster than the text that they read, and exits 1 if there are any:
// node scripts/lint-regular-expressions.js [FOLDER …]
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, stdout } from 'node:process'
import { analyse } from 'scslre'
import { parseAst } from 'vite'

/** Folders whose code reads what a stranger sends. */
const ofStrangers = [
  'contract',
  'server/http',
  'server/domain',
  'server/metrics',
  'server/telemetry',
  'sdk',
  'verify',
]

/** Patterns for texts that only operators and developers write: the URL of a server. */
const ofOperators = ['\\/+$']

/**
 * Returns whether an expression that may begin anywhere reads on to any distance before it fails, and so takes quadratic time over a
 * text of many beginnings. scslre finds only those whose beginning is one character repeated.
 */
const readsOnAnywhere = ({ source, flags }) =>
  !source.startsWith('^') && !flags.includes('y') && /(?<!\\)\.[*+]\??(?!\)*$)/.test(source)

/** Returns the regular expressions in a syntax tree. */
function literalsIn(tree) {
  if (typeof tree !== 'object' || tree === null) return []
  if ('regex' in tree) return [{ source: tree.regex.pattern, flags: tree.regex.flags }]
  return Object.values(tree).flatMap(literalsIn)
}

const folders = argv.length > 2 ? argv.slice(2) : ofStrangers
const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !/(^|\/)(dist|node_modules|generated|example)\//.test(name))
    .map((name) => join(folder, name)),
)
for (const file of files) {
  for (const literal of literalsIn(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }))) {
    if (ofOperators.includes(literal.source)) continue
    if (!readsOnAnywhere(literal) && analyse(literal).reports.length === 0) continue
    stdout.write(`${file}: /${literal.source}/${literal.flags}\n`)
    process.exitCode = 1
  }
}
