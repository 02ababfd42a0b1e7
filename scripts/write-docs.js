// Writes the documents that follow from the code. With --check, fails if one is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { exitCodeOf, problems } from '@usher/contract'
import { otherErrors } from '../server/dist/cli/report-error.js'

const row = (...cells) => `| ${cells.join(' | ')} |`
const table = (headings, rows) =>
  [row(...headings), `|${'---|'.repeat(headings.length)}`, ...rows.map((cells) => row(...cells))].join('\n')

const problemRows = Object.entries(problems).map(([code, { status = '', title, advice = '' }]) => [
  `\`${code}\``,
  status,
  exitCodeOf(code),
  title,
  advice,
])
const otherRows = Object.entries(otherErrors).map(([code, { exit, title }]) => [
  `\`${code}\``,
  '',
  exit,
  title,
  '',
])

/** What stands between `<!-- NAME -->` and `<!-- end -->`, by file and name. */
const documents = {
  'docs/problems.md': {
    problems: table(['code', 'status', 'exit code', 'title', 'what to do'], [...problemRows, ...otherRows]),
  },
}

for (const [file, parts] of Object.entries(documents)) {
  const former = readFileSync(file, 'utf8')
  const text = Object.entries(parts).reduce((before, [name, part]) => {
    const [start, end] = [`<!-- ${name} -->`, '<!-- end -->']
    const from = before.indexOf(start)
    if (from < 0) throw new Error(`${file} lacks ${start}`)
    return `${before.slice(0, from + start.length)}\n\n${part}\n\n${before.slice(before.indexOf(end, from))}`
  }, former)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (former !== text) throw new Error(`${file} is out of date. Run npm run docs.`)
}
