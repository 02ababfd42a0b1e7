import type { Host } from './host.js'

/** Returns JSON with escaped control characters, because text from clients must not control the operator's terminal. */
export const jsonText = (value: unknown) => JSON.stringify(value).replace(/\p{C}/gu, escapeCharacter)

const escapeCharacter = (character: string) =>
  Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')

/** Shows progress on one line that each update overwrites. Writes nothing if the output is not a terminal. */
export function createProgressLine(output: Pick<Host['stderr'], 'isTTY' | 'write'>) {
  const write = (text: string) => {
    if (output.isTTY) output.write(`\r\u001b[K${text}`)
  }
  return { show: write, clear: () => write('') }
}
