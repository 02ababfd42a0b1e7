import { readFile } from 'node:fs/promises'
import { expect, vi } from 'vitest'
import type { TestApi } from './app.js'

/** Returns the mails to an address that a server without SMTP has written to files since `forgetLog`. */
export async function writtenMails({ logged }: Pick<TestApi, 'logged'>, email: string) {
  const lines = logged()
    .split('\n')
    .filter((line) => line.includes('a mail was written to a file'))
  const mails = await Promise.all(lines.map((line) => readFile(JSON.parse(line).file, 'utf8')))
  return mails.filter((text) => text.includes(`To: ${email}\n`))
}

/** Waits for the first mail to an address, and returns the code in it. */
export const writtenCode = (usher: Pick<TestApi, 'logged'>, email: string) =>
  vi.waitFor(async () => {
    const [mail] = await writtenMails(usher, email)
    return mail?.match(/#code=(\S+)/)?.[1] ?? expect.fail(`no mail to ${email}`)
  }, 10_000)
