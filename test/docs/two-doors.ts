import { readFile } from 'node:fs/promises'

const text = await readFile(new URL('../../docs/management.md', import.meta.url), 'utf8')

/** Returns the cells of the rows of the table whose first column has this header. */
const rowsOf = (header: string) => {
  const [, table = ''] = text.split(`\n| ${header} |`)
  const lines = table.split('\n\n')[0]?.split('\n').slice(2) ?? []
  return lines.map((line) => line.slice(1, -1).split(/ \|(?= |$)/))
}

/** Returns the names in a cell. */
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

/** Operations and the commands that do the same, as docs/management.md lists them. */
export const pairs = rowsOf('operation').map(
  ([operation, command, same, ofOperation, ofCommand, why = '']) => {
    const equal = [...(same ?? '').matchAll(/`([^`]+)` = `([^`]+)`/g)]
    return {
      operations: namesIn(operation),
      commands: namesIn(command),
      fields: [...equal.map(([, field = '']) => field), ...namesIn(ofOperation)],
      options: [...equal.map(([, , option = '']) => option), ...namesIn(ofCommand)],
      differs: namesIn(ofOperation).length + namesIn(ofCommand).length > 0,
      why: why.trim(),
    }
  },
)

/** What only an operation or only a command can do, as docs/management.md lists it, with the reason. */
export const exceptions = [...rowsOf('only an operation'), ...rowsOf('only commands')].map(
  ([names, why = '']) => ({ names: namesIn(names), why: why.trim() }),
)
