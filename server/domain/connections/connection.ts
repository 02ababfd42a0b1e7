import { z } from 'zod'
import type { Connection as Row } from '../../store/generated/client.js'
import { type PresetName, presets } from './presets.js'

/** The name of a connection. The callback URL has it, so it never changes. */
export const ConnectionName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    'must be up to 32 characters a-z, 0-9 and "-", of which the first is a letter',
  )

const texts = (message: string) => z.array(z.string().regex(/^[\x21-\x7e]{1,255}$/, message)).max(20, message)

const appleId = z.string().regex(/^[A-Z0-9]{10}$/, 'must be 10 characters A-Z and 0-9')

/** The secret of a client, or the private key that signs it. */
export const ConnectionSecret = z.string().regex(/^.{1,4096}$/s, 'must be 1 to 4096 characters')

/** What an operator sets for a connection in addition to its issuer, its client and its secret. */
export const ConnectionOptions = z.strictObject({
  /** What a button shows. By default that of the preset. */
  title: z
    .string()
    .trim()
    .regex(/^.{1,64}$/su, 'must be 1 to 64 characters')
    .optional(),
  /** Scopes that replace those of the preset. */
  scopes: texts('must be up to 20 scopes').optional(),
  /** Other client ids whose ID tokens are accepted, such as those of apps on phones. */
  audiences: texts('must be up to 20 client ids').optional(),
  /** Whether the provider is authoritative for each address that it has verified. */
  trustEmail: z.boolean().optional(),
  /** Whether a first login links to the account with its address. True by default. */
  linkByEmail: z.boolean().optional(),
  /** Of Apple: the team whose key signs the secret of the client. */
  teamId: appleId.optional(),
  /** Of Apple: the id of that key. */
  keyId: appleId.optional(),
})
export type ConnectionOptions = z.infer<typeof ConnectionOptions>

/** A provider with which users of a database log in. */
export interface Connection extends Omit<Row, 'preset' | 'options'> {
  preset: PresetName
  options: ConnectionOptions
}

/** Returns a connection of the store. Undefined if it has a preset that only later versions know. */
export const connectionOf = (row: Row): Connection | undefined =>
  Object.hasOwn(presets, row.preset) ? (row as Connection) : undefined

/** Returns what a button shows. */
export const titleOf = ({ preset, options }: Pick<Connection, 'preset' | 'options'>) =>
  options.title ?? presets[preset].title

/** Returns the URL to which the provider leads the browser. @param issuer that of the database */
export const callbackUrl = (issuer: string, connection: string) =>
  `${issuer}/connections/${connection}/callback`
