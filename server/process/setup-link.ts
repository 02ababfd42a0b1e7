import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * Shows where the first operator is created: on a terminal, or in a file that only the user of the server can read, because a log may be
 * read by others.
 */
export async function showSetupLink(
  { dataDir }: { dataDir: string },
  link: string,
  stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
) {
  if (stderr.isTTY) {
    stderr.write(`Console        create the first operator within 24 hours:\n${link}\n\n`)
    return
  }
  const file = resolve(join(dataDir, 'console-link'))
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  // A file of an earlier start would keep its mode.
  await rm(file, { force: true })
  await writeFile(file, `${link}\n`, { mode: 0o600 })
  stderr.write(`Console        the link to create the first operator is in ${file}\n\n`)
}
