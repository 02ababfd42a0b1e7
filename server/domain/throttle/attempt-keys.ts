import { createHmac, hkdfSync } from 'node:crypto'
import type { Attempt } from '../../store/queries/login-failures.js'
import { networkOf, siteOf } from './client-network.js'

/** Keys by which attempts are counted. They are HMACs, so that the store contains neither addresses nor networks. */
export interface AttemptKeys {
  /** Returns the key of an email address. */
  address(databaseId: string, canonicalEmail: string): Uint8Array
  /** Returns the key of a client's network. */
  network(databaseId: string, clientAddress: string): Uint8Array
  /** Returns the keys of a client's network and of its site. */
  sources(databaseId: string, clientAddress: string): Sources
  /** Returns both keys of an attempt. */
  attempt(databaseId: string, canonicalEmail: string, clientAddress: string): Attempt
}

/** Keys of a network and of its site. An IPv4 address has no site. */
export interface Sources {
  network: Uint8Array
  site?: Uint8Array | undefined
}

export function createAttemptKeys(masterKey: Buffer): AttemptKeys {
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', 'usher login throttle', 32))
  const hmac = (databaseId: string, text: string) =>
    new Uint8Array(createHmac('sha256', secret).update(`${databaseId}/${text}`).digest())
  const network = (databaseId: string, clientAddress: string) => hmac(databaseId, networkOf(clientAddress))
  return {
    address: hmac,
    network,
    sources(databaseId, clientAddress) {
      const site = siteOf(clientAddress)
      return {
        network: network(databaseId, clientAddress),
        site: site === undefined ? undefined : hmac(databaseId, site),
      }
    },
    attempt: (databaseId, canonicalEmail, clientAddress) => ({
      address: hmac(databaseId, canonicalEmail),
      network: network(databaseId, clientAddress),
    }),
  }
}
