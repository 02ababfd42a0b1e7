import { z } from 'zod'
import { setting } from './setting.js'

const domainMessage =
  'must be a domain such as example.com or localhost, without scheme and port, or "default" for the host of the app URL'

/** Returns whether a text is a domain in ASCII. An IP address is none (WebAuthn, section 5.1.2). */
export const isDomain = (text: string) =>
  text.length <= 253 &&
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)

const originsMessage =
  'must be up to 20 different origins separated by commas: https://app.example.com, http on localhost, or android:apk-key-hash: with the SHA-256 of a certificate'

/** What an Android app signs with: the SHA-256 of its certificate as base64url. */
const androidOrigin = /^android:apk-key-hash:[\w-]{43}$/

function isOrigin(text: string) {
  if (androidOrigin.test(text)) return true
  if (text.length > 2_000 || !URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  return origin === text && (protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost'))
}

/** Where the passkeys of a database work. */
export const passkeySettings = {
  /** The RP ID of passkeys. Null: the host of the app URL. */
  passkeyDomain: setting({
    schema: z.string().refine(isDomain, domainMessage).nullable(),
    default: null,
    placeholder: '<domain>',
    description:
      'domain of passkeys, or "default" for the host of the app URL; those of another domain stop working',
    words: { default: null },
    read: (text) => text,
    label: 'passkey domain',
    show: (domain) => domain ?? 'the host of the app URL',
  }),
  /** The origins at which passkeys are used. Empty: that of the app. */
  passkeyOrigins: setting({
    schema: z
      .array(z.string().refine(isOrigin, originsMessage), originsMessage)
      .max(20, originsMessage)
      .refine((origins) => new Set(origins).size === origins.length, originsMessage),
    default: [],
    placeholder: '<origins>',
    description:
      'origins of apps in which passkeys are used, by commas, or "default" for that of the app URL',
    words: { default: [] },
    read: (text) => text.split(',').map((each) => each.trim()),
    label: 'passkey origins',
    show: (origins) => origins.join(', ') || 'that of the app URL',
  }),
}
