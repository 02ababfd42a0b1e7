import { table } from './figures.js'

// Keeps the ratios of each release in the first table of the section `releases` of RESULTS.md, the newest release last.

/** A ratio counts as fallen if it is lower than this part of the last release's. */
const tolerated = 0.95

/** Returns the cells of a line of a Markdown table. */
const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** Returns the lines of the table of a section. */
const tableOf = (text: string) =>
  text
    .match(/^\|.*(?:\n\|.*)*/m)?.[0]
    .split('\n')
    .map(cellsOf) ?? []

/** Returns Usher's `rate to floor` in a table of {@link rates}, or undefined if the table has none. */
function ratioIn(text: string) {
  const [head = [], ...rows] = tableOf(text)
  const row = rows.find(([name]) => name === 'Usher')
  const ratio = row?.[head.indexOf('rate to floor')]
  return ratio === undefined ? undefined : Number(ratio)
}

/**
 * Compares the ratios of a run with those of the last release.
 *
 * @param tables the tables of the parts that ran, by name
 * @param recorded the section `releases` of RESULTS.md
 * @returns the run as a row to be recorded, and a line for each ratio that fell by more than 5 %
 */
export function compareWithLastRelease(tables: Record<string, string>, recorded: string, version: string) {
  const [head = [], , ...releases] = tableOf(recorded)
  const [, ...parts] = head
  const [release, ...last] = releases.at(-1) ?? []
  const ratios = parts.map((part) => ratioIn(tables[part] ?? ''))
  const fallen = parts.flatMap((part, index) => {
    const [ratio, before] = [ratios[index], Number(last[index])]
    if (ratio === undefined || !(ratio < before * tolerated)) return []
    const percent = Math.round((1 - ratio / before) * 100)
    return [`${part} fell by ${percent} %: ${ratio} of the floor's rate, ${before} in ${release}`]
  })
  const row = table(['release', ...parts], [[version, ...ratios.map((ratio) => ratio ?? '')]])
  return { row, fallen }
}
