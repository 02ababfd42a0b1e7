import { z } from 'zod'

/** What an API key allows, by scope. */
export const scopes = {
  'users:read': 'read users, their sessions and failed logins',
  'users:write': 'add, change, disable and delete users, and clear their failed logins',
  'credentials:write': 'set what takes over an account: addresses, passwords and returned codes',
  'sessions:write': 'end sessions',
  'tenants:read': 'read tenants, their members and invitations',
  'tenants:write': 'add, change and delete tenants and their members, send and revoke invitations',
  'sso:write': 'read and change the single sign-on of tenants, and create links to its portal',
  'mails:read': 'read how mails look, and their templates',
  'mails:write': 'change how mails look, and their templates',
  'events:read': 'read events',
  'revocations:read': 'read revocations',
} as const

/** A scope of an API key. */
export type Scope = keyof typeof scopes
export const Scope = z.enum(Object.keys(scopes) as [Scope, ...Scope[]])
