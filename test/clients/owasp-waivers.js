/**
 * Findings of Spectral's OWASP ruleset that are intended, by rule and place. `npm run check` fails on a finding without
 * a waiver, and on a waiver without a finding.
 */
export const waivers = [
  {
    rules: ['api4:2023-string-restricted'],
    where:
      /^components\/parameters\/(IfMatch|ExternalId|EmailPrefix|UsherConfirmation|Domain|(ListTenants)?NamePrefix)\/schema/,
    reason: 'They are compared, and any other text matches nothing.',
  },
  {
    rules: ['api4:2023-string-limit', 'api4:2023-string-restricted'],
    where: /^components\/parameters\/UsherProof\/schema/,
    reason: 'A proof that is none gets new work, whatever it is.',
  },
  {
    rules: ['api2:2023-write-restricted', 'api8:2023-define-error-responses-401'],
    where: /^paths\/.*\/users\/post\b/,
    reason: 'The specification asks for no credential on sign-up.',
  },
  {
    rules: ['api2:2023-write-restricted'],
    where: /^paths\/.*\/users\/login\/post\b/,
    reason: 'Login is where a client gets its credential.',
  },
  {
    rules: ['api2:2023-write-restricted', 'api8:2023-define-error-responses-401'],
    where: /^paths\/.*\/users\/session\/(refresh|end)\/post\b/,
    reason: 'The credential is the refresh token in the body. Ending a session succeeds with any.',
  },
  {
    rules: ['api2:2023-write-restricted', 'api8:2023-define-error-responses-401'],
    where:
      /^paths\/.*\/(users\/(login\/[\w-]+(\/confirm)?|password-reset(\/confirm)?|email-verification|email-change\/\w+)|invitations\/read|sso\/portal)\/post\b/,
    reason:
      'The client has forgotten the password; in the other operations the code in the body is the credential.',
  },
  {
    rules: ['api4:2023-rate-limit-responses-429'],
    where:
      /\/users\/(login\/[\w-]+(\/confirm)?|password-reset(\/confirm)?|(me\/)?email-verification|email-change\/\w+)\/post\/responses/,
    reason: 'Requests for a mail are limited silently, or the limit would tell who has an account.',
  },
  {
    rules: ['api2:2023-read-restricted', 'api8:2023-define-error-responses-401'],
    where:
      /^paths\/(.*\/\.well-known\/|.*\/(features|connections|work)\/|\/healthz|\/readyz|\/openapi|\/management\/openapi|\/problems\/)/,
    reason:
      'Public keys, metadata, features, buttons of a login page, work, checks and documentation are public.',
  },
  {
    rules: ['api4:2023-rate-limit-responses-429'],
    where:
      /\/get\/responses$|\/users\/(me|me\/sessions?(\/\{sessionId\}|\/others)?|session\/\w+|me\/factors\/.+|me\/second-factor|me\/step-up\/begin|me\/tenant-proofs|me\/recovery-codes)\/\w+\/responses/,
    reason: 'The specification has no rate limit. Only failed logins, wrong codes and sign-ups are limited.',
  },
  {
    rules: ['api4:2023-rate-limit-responses-429'],
    where: /^paths\/.*\/management\//,
    reason: 'The backend of a product is not limited: its key is not guessed.',
  },
  {
    rules: ['api4:2023-rate-limit-responses-429'],
    where: /^paths\/.*\/(tenants|invitations)\b.*\/(post|patch|delete)\/responses/,
    reason: 'Of what members do with tenants, only mails are limited.',
  },
  {
    rules: ['api4:2023-string-restricted'],
    where: /\/application\/x-ndjson\/schema$/,
    reason: 'Each of its lines has a schema of its own.',
  },
  {
    rules: ['api4:2023-rate-limit'],
    where: /^(paths|components)\/.*responses/,
    reason: 'There is no quota whose rest a header could tell; 429 has Retry-After.',
  },
  {
    rules: ['api8:2023-define-cors-origin'],
    where: /^(paths\/.*\/responses|components\/(headers|responses))/,
    reason:
      'CORS is a setting of the server and the same for every response. Clients never read its headers.',
  },
  {
    rules: ['api4:2023-string-limit', 'api4:2023-string-restricted', 'api4:2023-array-limit'],
    where: /^(paths\/.*\/responses\/|components\/(headers|responses)\/|components\/schemas\/(?!\w+Body))/,
    reason: 'The server writes them. A limit would make clients refuse a value that a later version sends.',
  },
  {
    rules: ['api4:2023-string-restricted'],
    where: /^components\/(schemas\/\w+Body\/properties|parameters\/IdempotencyKey)\//,
    reason: 'Passwords, names and keys are any Unicode text.',
  },
  {
    rules: ['api9:2023-inventory-access', 'api9:2023-inventory-environment', 'api8:2023-no-server-http'],
    where: /^servers\/0/,
    reason:
      'The document names the server that serves it, whatever its environment; the committed one is localhost.',
  },
]
