/** Shows progress on one line that each update overwrites. Writes nothing if the output is not a terminal. */
export function createProgressLine(output: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr) {
  const write = (text: string) => {
    if (output.isTTY) output.write(`\r\u001b[K${text}`)
  }
  return { show: write, clear: () => write('') }
}
