/**
 * One line on a terminal that tells how far a command is, written over each time; nothing where the output is
 * no terminal.
 */
export function createProgressLine(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {
  const write = (text: string) => {
    if (output.isTTY) output.write(`\r\u001b[K${text}`)
  }
  return { show: write, clear: () => write('') }
}
