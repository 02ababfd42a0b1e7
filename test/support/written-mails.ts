import { readFile } from 'node:fs/promises'
import { expect, vi } from 'vitest'
import type { TestApi } from './app.js'
import { codeIn } from './smtp.js'

/** Returns the mails to an address that a server without SMTP has written to files since `forgetLog`. */
export async function writtenMails({ logged }: Pick<TestApi, 'logged'>, email: string) {
  const lines = logged()
    .split('\n')
    .filter((line) => line.includes('a mail was written to a file'))
  const mails = await Promise.all(lines.map((line) => readFile(JSON.parse(line).file, 'utf8')))
  return mails.filter((text) => text.includes(`To: ${email}\n`))
}

/** Waits for a mail to an address whose link leads to a page, and returns the code in it. */
export const writtenCode = (usher: Pick<TestApi, 'logged'>, email: string, page: string) =>
  vi.waitFor(async () => {
    const mails = await writtenMails(usher, email)
    const text = mails.find((mail) => mail.includes(`/${page}#code=`))
    return codeIn({ parsed: { text: text ?? expect.fail(`no mail to ${email} with ${page}`) } })
  }, 10_000)
