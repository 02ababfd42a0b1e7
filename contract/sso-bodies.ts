import { z } from 'zod'
import { Email } from './email.js'
import { failsWith } from './field-errors.js'
import { code, body as codeOnly, id, instant } from './fields.js'
import { body, flag } from './management/fields.js'
import { next } from './page.js'
import { component, field } from './registry.js'
import { shownRole } from './role.js'

/** The kinds of identity providers of tenants. */
export const ssoPresets = ['entra', 'okta', 'google_workspace', 'keycloak', 'auth0', 'oidc'] as const

const connectionExample = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a08',
  title: 'Okta',
  preset: 'okta',
  issuer: 'https://acme.okta.com',
  clientId: '0oa4711',
  hd: null,
  scopes: [],
  isEnabled: true,
  hasSecret: true,
  callbackUrl:
    'https://auth.example.com/workspaces/demo/databases/app/connections/01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a08/callback',
  createdAt: '2026-03-01T12:00:00.000Z',
  testedAt: null,
}

/** A connection to the identity provider of a tenant. */
export const SsoConnection = component(
  {
    id: 'SsoConnection',
    description: 'A connection to the identity provider of a tenant. Its secret is never shown.',
    examples: [connectionExample],
  },
  z.object({
    id: field('ID of the connection.', z.uuid()),
    title: field('What a button shows.', z.string(), { examples: ['Okta'] }),
    preset: field('Kind of the provider.', z.enum(ssoPresets), { isOpen: true }),
    issuer: field('Issuer of the provider, without a slash at its end.', z.string(), {
      examples: ['https://acme.okta.com'],
    }),
    clientId: field('ID of the client at the provider.', z.string(), { examples: ['0oa4711'] }),
    hd: field('Google Workspace: the only domain whose accounts may log in, or null.', z.string().nullable()),
    scopes: field('Requested scopes. Empty: those of the preset.', z.array(z.string())),
    isEnabled: field('Whether members can log in with it.', z.boolean()),
    hasSecret: field('Whether the client has a secret.', z.boolean()),
    callbackUrl: field('What to register at the provider.', z.string()),
    createdAt: instant('When it was added'),
    testedAt: field(
      'When a login with it last succeeded, or null (RFC 3339, UTC).',
      z.iso.datetime().nullable(),
    ),
  }),
)
export type SsoConnection = z.infer<typeof SsoConnection>

const domainExample = {
  domain: 'acme.example',
  state: 'pending',
  record: { type: 'TXT', name: '_usher.acme.example', value: 'usher=0123456789abcdef0123456789abcdef' },
  createdAt: '2026-03-01T12:00:00.000Z',
  provenAt: null,
  missingSince: null,
  expiresAt: '2026-03-08T12:00:00.000Z',
}

/** A mail domain of a tenant. */
export const SsoDomain = component(
  { id: 'SsoDomain', description: 'A mail domain of a tenant.', examples: [domainExample] },
  z.object({
    domain: field('The domain in lower case, as a name of DNS.', z.string(), { examples: ['acme.example'] }),
    state: field(
      '`pending`: the record was not found yet. `proven`: it was found. `missing`: it is no longer found, and counts for 14 days. `lost`: the domain no longer counts.',
      z.enum(['pending', 'proven', 'missing', 'lost']),
      { isOpen: true },
    ),
    record: field(
      'The record of DNS that proves the domain.',
      z.object({
        type: field('Type of the record.', z.literal('TXT')),
        name: field('Name of the record.', z.string(), { examples: ['_usher.acme.example'] }),
        value: field('Text of the record.', z.string()),
      }),
    ),
    createdAt: instant('When it was added'),
    provenAt: field('When it was first proven, or null (RFC 3339, UTC).', z.iso.datetime().nullable()),
    missingSince: field(
      'Since when the record is not found, or null (RFC 3339, UTC).',
      z.iso.datetime().nullable(),
    ),
    expiresAt: field(
      'When it is removed unless it is proven, or null (RFC 3339, UTC).',
      z.iso.datetime().nullable(),
    ),
  }),
)
export type SsoDomain = z.infer<typeof SsoDomain>

/** Most owners who open a tenant without single sign-on. */
export const maxExempt = 2
const minMaxAge = 3_600
const maxMaxAge = 2_592_000

const settingsExample = {
  required: false,
  requiredSince: null,
  exempt: [],
  maxAge: maxMaxAge,
  acr: null,
  trustAmr: false,
  jit: true,
  defaultRole: 'member',
  callbackUrl: connectionExample.callbackUrl.replace(connectionExample.id, '{id}'),
}

/** The single sign-on of a tenant. */
export const Sso = component(
  {
    id: 'Sso',
    description: 'The single sign-on of a tenant.',
    examples: [{ ...settingsExample, connections: [connectionExample], domains: [domainExample] }],
  },
  z.object({
    required: field('Whether members must log in with it.', z.boolean()),
    requiredSince: field('Since when, or null (RFC 3339, UTC).', z.iso.datetime().nullable()),
    exempt: field(
      'IDs of the owners who open the tenant with their second factor instead.',
      z.array(z.uuid()),
    ),
    maxAge: field('Seconds for which a login counts.', z.int(), { format: 'int32' }),
    acr: field('The level that a login must have, or null for any.', z.enum(['aal2']).nullable(), {
      isOpen: true,
    }),
    trustAmr: field('Whether what the provider says about second factors counts for `acr`.', z.boolean()),
    jit: field('Whether a first login creates a member.', z.boolean()),
    defaultRole: shownRole('Role of such a member:'),
    callbackUrl: field(
      'The callback URL of each connection, with `{id}` for its ID, to register at the provider before `addSsoConnection`.',
      z.string(),
    ),
    connections: field('In the order in which they were added.', z.array(SsoConnection)),
    domains: field('In alphabetical order.', z.array(SsoDomain)),
  }),
)
export type Sso = z.infer<typeof Sso>

const maxAgeText = failsWith('invalid_type', `must be a whole number from ${minMaxAge} to ${maxMaxAge}`)

/** Body of `changeSso`. */
export const ChangeSsoBody = body(
  {
    id: 'ChangeSsoBody',
    description: 'What changes. An absent field does not change.',
    example: { maxAge: 86_400 },
  },
  {
    required: flag('Whether members must log in with it.'),
    exempt: field(
      'IDs of one or two owners with a second factor who open the tenant with it instead.',
      z
        .array(id('ID of an owner.'), failsWith('invalid_type', 'must be a list of IDs'))
        .max(maxExempt, failsWith('invalid_type', `must have at most ${maxExempt} IDs`))
        .optional(),
    ),
    maxAge: field(
      'Seconds for which a login counts, 1 hour to 30 days.',
      z.int(maxAgeText).min(minMaxAge, maxAgeText).max(maxMaxAge, maxAgeText).optional(),
      { format: 'int32' },
    ),
    acr: field(
      '`aal2`: a login needs a second factor. Null: any.',
      z.enum(['aal2'], failsWith('invalid_type', 'must be aal2 or null')).nullish(),
    ),
    trustAmr: flag('Whether what the provider says about second factors counts for `acr`.'),
    jit: flag('Whether a first login creates a member.'),
    defaultRole: field(
      'Role of such a member: `admin`, `member` or a role of the database.',
      z
        .string(failsWith('invalid_type', 'must be a string'))
        .max(32, failsWith('too_long', 'must have at most 32 characters'))
        .optional(),
      { examples: ['member'] },
    ),
  },
)
export type ChangeSsoBody = z.infer<typeof ChangeSsoBody>

const texts = (description: string, message: string) =>
  field(
    description,
    z
      .array(
        z
          .string()
          .max(255)
          .regex(/^[\x21-\x7e]{1,255}$/),
        failsWith('invalid_type', message),
      )
      .max(20, failsWith('invalid_type', message))
      .optional(),
  )

const given = (description: string, length: number, example: string) =>
  field(
    description,
    z
      .string(failsWith('invalid_type', 'must be a string'))
      .trim()
      .min(1, failsWith('blank', 'must not be blank'))
      .max(length, failsWith('too_long', `must have at most ${length} characters`)),
    { examples: [example], maxLength: length },
  )

/** Fields of a request about a connection. */
const settable = () => ({
  clientId: given('ID of the client at the provider.', 255, '0oa4711').optional(),
  secret: field(
    'Secret of the client. Null: it has none.',
    given('Secret of the client.', 4096, 'GOCSPX-4711').nullish(),
  ),
  issuer: given(
    'Issuer of the provider. `google_workspace`, and `entra` with `tid`, have their own.',
    2048,
    'https://acme.okta.com',
  ).optional(),
  tid: given(
    'Entra: ID of the directory, which is a UUID.',
    36,
    '9a1fc6e0-1b1c-4d5e-9b57-4d7b1c1f0a08',
  ).optional(),
  hd: given('Google Workspace: the only domain whose accounts may log in.', 253, 'acme.example').optional(),
  title: field(
    'What a button shows. Null: the title of the preset.',
    given('What a button shows.', 64, 'Acme').nullish(),
  ),
  scopes: texts('Requested scopes. Empty: those of the preset.', 'must be up to 20 scopes'),
})

/** Body of `addSsoConnection`. */
export const AddSsoConnectionBody = body(
  {
    id: 'AddSsoConnectionBody',
    description: 'An identity provider with OpenID Connect.',
    example: { issuer: 'https://acme.okta.com', clientId: '0oa4711', secret: 'secret-4711' },
  },
  {
    ...settable(),
    id: id(
      'ID of the connection, a new UUID: then its callback URL is known before. Default: a new ID.',
    ).optional(),
    clientId: given('ID of the client at the provider.', 255, '0oa4711'),
    preset: field(
      'Kind of the provider. By default that of the issuer, or `oidc`.',
      z.enum(ssoPresets, failsWith('invalid_type', `must be one of ${ssoPresets.join(', ')}`)).optional(),
    ),
  },
)
export type AddSsoConnectionBody = z.infer<typeof AddSsoConnectionBody>

/** Body of `changeSsoConnection`. */
export const ChangeSsoConnectionBody = body(
  {
    id: 'ChangeSsoConnectionBody',
    description: 'What changes of a connection. An absent field does not change.',
    example: { isEnabled: false },
  },
  { ...settable(), isEnabled: flag('Whether members can log in with it.') },
)
export type ChangeSsoConnectionBody = z.infer<typeof ChangeSsoConnectionBody>

/** Body of `addSsoDomain`. */
export const AddSsoDomainBody = body(
  { id: 'AddSsoDomainBody', description: 'A mail domain.', example: { domain: 'acme.example' } },
  {
    domain: given(
      'The part of addresses after the `@`. Subdomains are domains of their own.',
      253,
      'acme.example',
    ),
  },
)
export type AddSsoDomainBody = z.infer<typeof AddSsoDomainBody>

const entryExample = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a09',
  userId: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01',
  connectionId: connectionExample.id,
  issuer: connectionExample.issuer,
  subject: '00u4711',
  email: 'ada@acme.example',
  name: 'Ada',
  linkedAt: '2026-03-01T12:00:00.000Z',
}

/** Response of `listSsoEntries`. */
export const SsoEntryList = component(
  {
    id: 'SsoEntryList',
    description: 'A page of the people whom the provider of a tenant has named.',
    examples: [{ entries: [entryExample], next: null }],
  },
  z.object({
    entries: field(
      'Ordered by id.',
      z.array(
        component(
          { id: 'SsoEntry', description: 'A person as the provider of a tenant knows it, and the user.' },
          z.object({
            id: field('ID of the entry.', z.uuid()),
            userId: field('ID of the user.', z.uuid()),
            connectionId: field('ID of the connection.', z.uuid()),
            issuer: field('Issuer that has named the person.', z.string()),
            subject: field('ID of the person at the provider.', z.string()),
            email: field('Address at the provider, or null.', z.string().nullable()),
            name: field('Name at the provider, or null.', z.string().nullable()),
            linkedAt: instant('When it was linked to the user'),
          }),
        ),
      ),
    ),
    next: next(),
  }),
)
export type SsoEntryList = z.infer<typeof SsoEntryList>

/** Body of `openSsoPortal`. */
export const OpenSsoPortalBody = codeOnly(
  {
    id: 'OpenSsoPortalBody',
    description: 'The code in the URL of the portal.',
    example: { code: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs' },
  },
  { code: code('What follows `#code=` in the URL.') },
)
export type OpenSsoPortalBody = z.infer<typeof OpenSsoPortalBody>

/** Response of `openSsoPortal`. */
export const OpenedSsoPortal = component(
  {
    id: 'OpenedSsoPortal',
    description: 'The tenant of the portal, and a token with which to set up its single sign-on.',
    examples: [
      {
        token: 'usso_01a1fc6e1b1c7d5e9b574d7b1c1f0a0a_lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs',
        tenantId: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a02',
        tenantName: 'Analytical Engines',
        mayRequire: false,
        expiresAt: '2026-03-08T12:00:00.000Z',
      },
    ],
  },
  z.object({
    token: field(
      'The Bearer token for the single sign-on of this tenant. Keep it in this browser.',
      z.string(),
    ),
    tenantId: field('ID of the tenant.', z.uuid()),
    tenantName: field('Name of the tenant.', z.string()),
    mayRequire: field('Whether it may require single sign-on of the members.', z.boolean()),
    expiresAt: instant('When the portal closes'),
  }),
)
export type OpenedSsoPortal = z.infer<typeof OpenedSsoPortal>

/** Body of `routeLogin`. */
export const RouteLoginBody = codeOnly(
  {
    id: 'RouteLoginBody',
    description: 'The address of the person who logs in.',
    example: { email: 'ada@acme.example' },
  },
  { email: Email },
)
export type RouteLoginBody = z.infer<typeof RouteLoginBody>

/** Response of `routeLogin`. */
export const LoginRoute = component(
  {
    id: 'LoginRoute',
    description: 'How a person with an address logs in.',
    examples: [{ connection: { id: connectionExample.id, title: 'Okta' } }],
  },
  z.object({
    connection: field(
      'The single sign-on of the domain of the address, or null.',
      z
        .object({
          id: field('ID of the connection, for `startLogin`.', z.uuid()),
          title: field('What a button shows.', z.string(), { examples: ['Okta'] }),
        })
        .nullable(),
    ),
  }),
)
export type LoginRoute = z.infer<typeof LoginRoute>
