import type { Scope } from '@usher/contract/management'

/** What an API key allows. Does not compile if a scope is missing. */
export const scopes: Readonly<Record<Scope, string>> = {
  'users:read': 'read users',
  'users:write': 'add, change and delete users',
  'credentials:write': 'set addresses and passwords',
  'sessions:write': 'end sessions',
  'tenants:read': 'read tenants',
  'tenants:write': 'change tenants, members and invitations',
  'sso:write': 'read and set up the single sign-on of tenants',
  'mails:read': 'read how mails look',
  'mails:write': 'change how mails look',
  'events:read': 'read events',
  'revocations:read': 'read revocations',
}
