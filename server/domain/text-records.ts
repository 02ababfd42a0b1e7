import { Resolver } from 'node:dns/promises'
import { DependencyUnavailable } from './problem.js'

/** Returns the texts of the TXT records of a name, each in its parts. */
export type ResolveTxt = (name: string) => Promise<string[][]>

const dnsMilliseconds = 3_000

/** Creates a function that asks the DNS servers of this machine. */
export function createResolveTxt(): ResolveTxt {
  const resolver = new Resolver({ timeout: dnsMilliseconds, tries: 1 })
  return (name) => resolver.resolveTxt(name)
}

/** Returns the name of the record that proves a domain. */
export const recordName = (domain: string) => `_usher.${domain}`

/** What DNS says about a domain. */
export interface DnsAnswer {
  /** Undefined: DNS gave no answer, so nothing is known. */
  texts?: string[]
  /** Why there is none. */
  failure?: string
}

/** What says that there is no record, other than that nobody knows. */
const absent = ['ENOTFOUND', 'ENODATA']

/** Returns the texts that DNS has for a domain. */
export async function findTexts(
  { resolveTxt }: { resolveTxt: ResolveTxt },
  domain: string,
): Promise<DnsAnswer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DependencyUnavailable('ETIMEOUT')), dnsMilliseconds)
  })
  try {
    const records = await Promise.race([resolveTxt(recordName(domain)), late])
    return { texts: records.map((parts) => parts.join('')) }
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code ?? 'ETIMEOUT')
    return absent.includes(code) ? { texts: [] } : { failure: code }
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the text of the record of a domain. */
export const recordText = ({ token }: { token: string }) => `usher=${token}`

/** Returns whether DNS has the record of a domain. */
export const hasRecord = (row: { token: string }, { texts }: DnsAnswer) =>
  texts?.includes(recordText(row)) ?? false
