import { z } from 'zod'
import type { Connection as Row } from '../../store/generated/client.js'
import { invalidField, validationFailed } from '../problem.js'
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
const ConnectionSecret = z.string().regex(/^.{1,4096}$/s, 'must be 1 to 4096 characters')

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
  /** Only of the identity provider of a tenant, with claims that its ID tokens must have. */
  ofTenant?: { tenantId: string; expects?: Readonly<Record<string, string>> }
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

/** A connection, and the secret of its client. Null: the client has none. */
export interface NewConnection
  extends Pick<Connection, 'name' | 'preset' | 'issuer' | 'clientId' | 'options'> {
  secret: string | null
}

/** Options as an operator gives them. Null, or an empty list, is the default. */
export type GivenOptions = {
  [Name in keyof ConnectionOptions]?: ConnectionOptions[Name] | null
}

/** A connection as an operator gives it. */
export interface GivenConnection extends GivenOptions {
  name: string
  /** By default that of the name, or `oidc`. */
  preset?: string | undefined
  /** By default that of the preset. */
  issuer?: string | undefined
  clientId: string
  secret?: string | null | undefined
}

/** The names of the presets. */
export const presetNames = Object.keys(presets) as [PresetName, ...PresetName[]]

const Client = ConnectionOptions.extend({
  clientId: z.string().regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 characters of ASCII'),
  secret: ConnectionSecret.optional(),
})

const Described = Client.extend({
  name: ConnectionName,
  preset: z.enum(presetNames, `must be one of ${presetNames.join(', ')}`),
  issuer: z
    .string('is required for this preset')
    .max(2048, { error: 'must be up to 2048 characters', abort: true })
    .refine((text) => URL.canParse(text), 'must be a URL'),
})

/**
 * Returns a connection with the defaults of its preset.
 *
 * @throws {Problem} `validation_failed` with each field that is missing or wrong
 */
export function describeConnection(given: GivenConnection): NewConnection {
  const kind = given.preset ?? presetNames.find((each) => each === given.name) ?? 'oidc'
  // Identities have it, so that they stay those of the connection with and without the slash.
  const address = (given.issuer ?? presetOf(kind)?.issuer)?.replace(
    /(\/\.well-known\/openid-configuration)?\/?$/,
    '',
  )
  const wanted = { ...given, preset: kind, issuer: address }
  const { name, preset, issuer, clientId, secret = null, ...options } = read(Described, kind, wanted)
  return { name, preset, issuer, clientId, secret, options }
}

/**
 * Returns what is set of a client.
 *
 * @throws {Problem} `validation_failed` with each field that is missing or wrong
 */
export function readClient(
  preset: PresetName,
  given: GivenOptions & { clientId: string; secret?: string | undefined },
) {
  const { clientId, secret, ...options } = read(Client, preset, given)
  return { clientId, secret, options }
}

const presetOf = (name: string) => (Object.hasOwn(presets, name) ? presets[name as PresetName] : undefined)

/** Parses fields without those that are a default. */
function read<Schema extends z.ZodObject>(schema: Schema, preset: string, fields: object): z.infer<Schema> {
  const given = Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value != null && !(Array.isArray(value) && value.length === 0),
    ),
  )
  const { data, error } = schema.safeParse(given)
  const issues = error?.issues.map(({ path, message }) => [String(path[0]), message] as const) ?? []
  const missing = presetOf(preset)?.signsSecret
    ? ['teamId', 'keyId'].filter((name) => !Object.hasOwn(given, name))
    : []
  const errors = new Map([
    // The first error of a field counts.
    ...issues.toReversed(),
    ...missing.map((name) => [name, 'is required for this preset'] as const),
  ])
  if (!data || errors.size > 0)
    throw validationFailed([...errors].map(([name, detail]) => invalidField(name, detail)))
  return data
}
