// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

/** An identity provider with OpenID Connect. */
export interface AddSsoConnectionBody {
  /**
   * ID of the client at the provider.
   *
   * @example 0oa4711
   */
  clientId: string
  /**
   * Secret of the client. Null: it has none.
   *
   * @example GOCSPX-4711
   */
  secret?: string | null | undefined
  /**
   * Issuer of the provider. `google_workspace`, and `entra` with `tid`, have their own.
   *
   * @example https://acme.okta.com
   */
  issuer?: string | undefined
  /**
   * Entra: ID of the directory, which is a UUID.
   *
   * @example 9a1fc6e0-1b1c-4d5e-9b57-4d7b1c1f0a08
   */
  tid?: string | undefined
  /**
   * Google Workspace: the only domain whose accounts may log in.
   *
   * @example acme.example
   */
  hd?: string | undefined
  /**
   * What a button shows. Null: the title of the preset.
   *
   * @example Acme
   */
  title?: string | null | undefined
  /** Requested scopes. Empty: those of the preset. */
  scopes?: string[] | undefined
  /**
   * ID of the connection, a new UUID: then its callback URL is known before. Default: a new ID.
   *
   * @example 01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01
   */
  id?: string | undefined
  /** Kind of the provider. By default that of the issuer, or `oidc`. */
  preset?: 'entra' | 'okta' | 'google_workspace' | 'keycloak' | 'auth0' | 'oidc' | undefined
}

/** A mail domain. */
export interface AddSsoDomainBody {
  /**
   * The part of addresses after the `@`. Subdomains are domains of their own.
   *
   * @example acme.example
   */
  domain: string
}

/** The tenant to create. */
export interface AddTenantBody {
  /**
   * Name of the tenant. Need not be unique.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * The id in the product. Unique in the database among users, and among tenants. Null removes it.
   *
   * @example customer-17
   */
  externalId?: string | null | undefined
  /** Shown to the user. That of a tenant is shown to its members. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  metadata?: { [field: string]: unknown } | null | undefined
  /** Shown only by the management API. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  privateMetadata?: { [field: string]: unknown } | null | undefined
  /**
   * Maximum number of members: beyond it, no invitation can be accepted. Null removes the limit. This API can add members beyond it.
   *
   * @example 25
   */
  seats?: number | null | undefined
}

/** The user to add. */
export interface AddUserBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  password?: string | undefined
  /** A password hash of another system, instead of `password`, in a format that the import accepts. */
  passwordHash?: string | undefined
  /**
   * Display name. Null means none.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag. Null means none.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
  /** Whether the address counts as verified. */
  emailVerified?: boolean | undefined
  /** Existing tenants that the user joins, in this order, each given once. `role` is `member` by default. */
  tenants?:
    | {
        /**
         * ID of the tenant.
         *
         * @example 01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01
         */
        id: string
        /**
         * `owner`, `admin`, `member` or a role of the database.
         *
         * @example admin
         */
        role?: string | undefined
      }[]
    | undefined
  /**
   * The id in the product. Unique in the database among users, and among tenants. Null removes it.
   *
   * @example customer-17
   */
  externalId?: string | null | undefined
  /** Shown to the user. That of a tenant is shown to its members. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  metadata?: { [field: string]: unknown } | null | undefined
  /** Shown only by the management API. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  privateMetadata?: { [field: string]: unknown } | null | undefined
  /** Whether to send a mail with a code to choose a password. Only for a user without a password. */
  sendMail?: boolean | undefined
}

/** The settings to change. An absent one does not change. */
export interface ChangeMailSettingsBody {
  /**
   * Name of the app, which every mail shows and which is the name of its sender. Null removes it.
   *
   * @example Acme
   */
  appName?: string | null | undefined
  /**
   * Address of the sender. A key can change it only within the domain that the operator has set with `usher database set`. Null removes it.
   *
   * @example accounts@acme.example
   */
  mailSender?: string | null | undefined
  /**
   * Address for replies. Null removes it.
   *
   * @example support@acme.example
   */
  mailReplyTo?: string | null | undefined
  /**
   * https URL of a logo, which is shown 40 pixels high in place of the name. Null removes it.
   *
   * @example https://acme.example/logo.png
   */
  mailLogoUrl?: string | null | undefined
  /**
   * Color of the buttons, as `#rrggbb`. Their text is black or white, whichever has more contrast. Null removes it.
   *
   * @example #0b57d0
   */
  mailColor?: string | null | undefined
  /**
   * Language of mails whose user and request have none, as a BCP 47 tag. Null removes it.
   *
   * @example en
   */
  mailLocale?: string | null | undefined
  /** Templates to set or to remove. Others do not change. */
  mailTemplates?: MailTemplateChange[] | undefined
}

/** What changes. An absent field does not change. */
export interface ChangeSsoBody {
  /** Whether members must log in with it. */
  required?: boolean | undefined
  /** IDs of one or two owners with a second factor who open the tenant with it instead. */
  exempt?: string[] | undefined
  /** Seconds for which a login counts, 1 hour to 30 days. */
  maxAge?: number | undefined
  /** `aal2`: a login needs a second factor. Null: any. */
  acr?: 'aal2' | null | undefined
  /** Whether what the provider says about second factors counts for `acr`. */
  trustAmr?: boolean | undefined
  /** Whether a first login creates a member. */
  jit?: boolean | undefined
  /**
   * Role of such a member: `admin`, `member` or a role of the database.
   *
   * @example member
   */
  defaultRole?: string | undefined
}

/** What changes of a connection. An absent field does not change. */
export interface ChangeSsoConnectionBody {
  /**
   * ID of the client at the provider.
   *
   * @example 0oa4711
   */
  clientId?: string | undefined
  /**
   * Secret of the client. Null: it has none.
   *
   * @example GOCSPX-4711
   */
  secret?: string | null | undefined
  /**
   * Issuer of the provider. `google_workspace`, and `entra` with `tid`, have their own.
   *
   * @example https://acme.okta.com
   */
  issuer?: string | undefined
  /**
   * Entra: ID of the directory, which is a UUID.
   *
   * @example 9a1fc6e0-1b1c-4d5e-9b57-4d7b1c1f0a08
   */
  tid?: string | undefined
  /**
   * Google Workspace: the only domain whose accounts may log in.
   *
   * @example acme.example
   */
  hd?: string | undefined
  /**
   * What a button shows. Null: the title of the preset.
   *
   * @example Acme
   */
  title?: string | null | undefined
  /** Requested scopes. Empty: those of the preset. */
  scopes?: string[] | undefined
  /** Whether members can log in with it. */
  isEnabled?: boolean | undefined
}

/** The fields to change. An absent field does not change. */
export interface ChangeTenantBody {
  /**
   * Name of the tenant. Need not be unique.
   *
   * @example Analytical Engines
   */
  name?: string | undefined
  /**
   * The id in the product. Unique in the database among users, and among tenants. Null removes it.
   *
   * @example customer-17
   */
  externalId?: string | null | undefined
  /** Shown to the user. That of a tenant is shown to its members. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  metadata?: { [field: string]: unknown } | null | undefined
  /** Shown only by the management API. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  privateMetadata?: { [field: string]: unknown } | null | undefined
  /**
   * Maximum number of members: beyond it, no invitation can be accepted. Null removes the limit. This API can add members beyond it.
   *
   * @example 25
   */
  seats?: number | null | undefined
}

/** The fields to change. An absent field does not change. */
export interface ChangeUserBody {
  /**
   * Display name. Null removes it.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag. Null removes it.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email?: string | undefined
  /** Whether the user can undo the change of the address for 7 days, with a mail to the former address. False also ends the undo of earlier changes. Default: true. */
  emailUndo?: boolean | undefined
  /** Whether the address counts as verified. A new address is unverified unless this is true. */
  emailVerified?: boolean | undefined
  /** Whether logins and tokens of the user are refused. True ends all sessions. */
  disabled?: boolean | undefined
  /**
   * The id in the product. Unique in the database among users, and among tenants. Null removes it.
   *
   * @example customer-17
   */
  externalId?: string | null | undefined
  /** Shown to the user. That of a tenant is shown to its members. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  metadata?: { [field: string]: unknown } | null | undefined
  /** Shown only by the management API. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  privateMetadata?: { [field: string]: unknown } | null | undefined
}

/** The purpose of the code, and how it is delivered. */
export interface CreateCodeBody {
  /** `password_reset` to choose a new password, `email_verification` to verify the address. */
  purpose: 'password_reset' | 'email_verification'
  /** `mail` sends the code to the user. `return` returns it, for apps that send their own mails. */
  deliver: 'mail' | 'return'
}

/** What the portal allows. */
export interface CreateSsoPortalBody {
  /** Whether it may require single sign-on of the members. Default: false. */
  mayRequire?: boolean | undefined
}

/** The events after a cursor. */
export interface EventList {
  /** The events of a user are in the order of the changes. */
  events: ListedEvent[]
  /**
   * The `after` of the next request, even if there are no events.
   *
   * @example Zx3b9QmWk1Lp.42.5f0c2f7f3c11
   */
  next: string
  /** Whether the next request returns events immediately. */
  moreAvailable: boolean
}

/** A second factor of the user. */
export interface Factor {
  /** ID of the factor. */
  id: string
  /** `totp`: an authenticator app (RFC 6238). `passkey`: a passkey or a security key (WebAuthn). */
  kind: 'totp' | 'passkey'
  /**
   * Name that the user has given to it, or null.
   *
   * @example Ada’s phone
   */
  name: string | null
  /** When it was added (RFC 3339, UTC). */
  createdAt: string
  /** Day of its last use (UTC), or null. */
  lastUsedOn: string | null
  /** What the Signal API of browsers needs. Present if `kind` is `passkey`. */
  passkey?: Passkey | undefined
}

/** Failed logins of a user that may delay the next one. */
export interface FailedLogins {
  /** Their number. */
  count: number
  /** Time of the last one, or null. */
  lastAt: string | null
}

/** What is wrong with one field of a request. */
export interface FieldError {
  /** Name of the field or parameter. Empty if the error concerns the whole body, `query` if it concerns all parameters. */
  path: string
  code: FieldErrorCode
  /** Human-readable explanation of the error. */
  detail: string
  /** Smallest number of characters. Present if `code` is `too_short`. */
  min?: number | undefined
  /** Largest number of characters. Present if `code` is `too_long`. */
  max?: number | undefined
}

/** Stable code of a field error. Treat an unknown code as an invalid field. */
export type FieldErrorCode =
  | 'required'
  | 'invalid_type'
  | 'blank'
  | 'too_short'
  | 'too_long'
  | 'invalid_character'
  | 'email_invalid'
  | 'password_too_common'
  | 'password_is_email'
  | 'password_wrong'

/** An account at a provider with which an imported user logs in. */
export interface IdentityOfLine {
  /**
   * Name of a connection of the database.
   *
   * @example google
   */
  connection: string
  /**
   * ID of the account at the provider: `sub` of its ID tokens, or `tid.oid` of those of Microsoft.
   *
   * @example 110169484474386276334
   */
  subject: string
  /**
   * The issuer that the connection had when the identity was linked. Default: its issuer now. With another one, the identity logs nobody in.
   *
   * @example https://accounts.google.com
   */
  issuer?: string | null | undefined
  /**
   * Address of the account at the provider. It is only shown.
   *
   * @example ada@example.com
   */
  email?: string | null | undefined
  /** When it was linked. Default: `createdAt` of the user. */
  linkedAt?: string | null | undefined
  /** Whether the address of the user was verified when it was linked. If not, a password reset removes it. Default: whether the address is verified now. */
  isProven?: boolean | null | undefined
}

/** Result of each line. */
export interface ImportResult {
  /** Number of lines that added a user. */
  created: number
  /** Number of lines whose user existed. */
  existing: number
  /** Number of rejected lines. */
  rejected: number
  /** Tenants of these lines that have no owner after them, at most 1,000. Nobody can invite into such a tenant until a user becomes its owner. Empty if there is none. */
  tenantsWithoutOwner: OwnerlessTenant[]
  /** In the order of the request. Blank lines are left out. */
  lines: ImportedLine[]
}

/** `created`: the user was added with all tenants. `exists`: a user or an earlier line has the address, and nothing changed. `rejected`: no part of the line was stored. */
export type ImportStatus = 'created' | 'exists' | 'rejected'

/** Result of a line. */
export interface ImportedLine {
  /** Number of the line, starting at 1. */
  line: number
  status: ImportStatus
  /** ID of the user with the address. Null if the line was rejected, or if the request only checks and there is no such user. */
  userId: string | null
  /** All errors in the line, if it was rejected. Empty otherwise. */
  errors: FieldError[]
}

/** An invitation to a tenant that is not accepted yet. */
export interface Invitation {
  /** ID of the invitation. Inviting the address again does not change it. */
  id: string
  /**
   * The invited address, in Unicode NFC.
   *
   * @example grace@example.com
   */
  email: string
  /**
   * Role that the user gets: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  role: string
  /** ID of the user who invited last. Null if an operator did. */
  inviterId: string | null
  /** When the address was invited last (RFC 3339, UTC). */
  createdAt: string
  /** When the invitation expires (RFC 3339, UTC). */
  expiresAt: string
}

/** The address to invite, and its role. */
export interface InvitationBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * `owner`, `admin`, `member` or a role of the database.
   *
   * @example admin
   */
  role: string
}

/** A page of the invitations of a tenant. */
export interface InvitationList {
  /** Ordered by id. */
  invitations: Invitation[]
  /** The `after` of the next page; null if this is the last one. */
  next: string | null
}

/** An event, as a webhook receives it. The id equals the `webhook-id` header. */
export interface ListedEvent {
  /** ID of the event. It may occur again; process it once. */
  id: string
  /**
   * Type of the event.
   *
   * @example user.created
   */
  type: string
  /** Time of the change (RFC 3339, UTC). */
  timestamp: string
  /** The ids of the objects that the change concerns. */
  data: {
    /** ID of the database. */
    databaseId: string
    /** ID of the user. */
    userId?: string | undefined
    /** ID of the tenant. */
    tenantId?: string | undefined
    /** ID of the invitation. */
    invitationId?: string | undefined
    /** ID of the session. */
    sessionId?: string | undefined
    /** ID of the API key that made the change, if one did. */
    apiKey?: string | undefined
  }
}

/** A tenant of a list. */
export interface ListedTenant {
  /** ID of the tenant. */
  id: string
  /**
   * Name of the tenant. Names are not unique.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * The id in the product, or null.
   *
   * @example customer-17
   */
  externalId: string | null
  /** Maximum number of members who accept an invitation, or null. */
  seats: number | null
  /** When the tenant was created (RFC 3339, UTC). */
  createdAt: string
  /** Number of its users. Only if the request has `users`. */
  users?: number | undefined
}

/** A user of a list. */
export interface ListedUser {
  /** ID of the user. */
  id: string
  /**
   * Email address, in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Display name, or null.
   *
   * @example Ada
   */
  preferredName: string | null
  /**
   * Language of the mails to the user, as a BCP 47 tag, or null.
   *
   * @example en-GB
   */
  locale: string | null
  /** Whether the user has proven to receive mail at the address. */
  emailVerified: boolean
  /** Whether logins and tokens of the user are refused. */
  disabled: boolean
  /**
   * The id in the product, or null.
   *
   * @example customer-17
   */
  externalId: string | null
  /** Time of sign-up (RFC 3339, UTC). */
  createdAt: string
}

/** How the mails of the database look. */
export interface MailSettings {
  /**
   * Name of the app, which every mail shows and which is the name of its sender. Null: as the server’s settings say.
   *
   * @example Acme
   */
  appName: string | null
  /**
   * Address of the sender. A key can change it only within the domain that the operator has set with `usher database set`. Null: as the server’s settings say.
   *
   * @example accounts@acme.example
   */
  mailSender: string | null
  /**
   * Address for replies. Null: as the server’s settings say.
   *
   * @example support@acme.example
   */
  mailReplyTo: string | null
  /**
   * https URL of a logo, which is shown 40 pixels high in place of the name. Null: as the server’s settings say.
   *
   * @example https://acme.example/logo.png
   */
  mailLogoUrl: string | null
  /**
   * Color of the buttons, as `#rrggbb`. Their text is black or white, whichever has more contrast. Null: as the server’s settings say.
   *
   * @example #0b57d0
   */
  mailColor: string | null
  /**
   * Language of mails whose user and request have none, as a BCP 47 tag. Null: as the server’s settings say.
   *
   * @example en
   */
  mailLocale: string | null
  /** Templates that replace those of the server. */
  mailTemplates: MailTemplate[]
}

/** A mail of the database in one language. */
export interface MailTemplate {
  /**
   * Name of the mail, such as `password_reset`.
   *
   * @example password_reset
   */
  name: string
  /**
   * Language of the template, as a BCP 47 tag.
   *
   * @example de
   */
  locale: string
  /** The subject and the paragraphs, with placeholders such as `{{link}}`. */
  text: string
  /** Replaces the HTML that is made of the text. Null: none. */
  html: string | null
}

/** A template to set or to remove. */
export interface MailTemplateChange {
  /**
   * Name of the mail, such as `password_reset`.
   *
   * @example password_reset
   */
  name: string
  /**
   * Language of the template, as a BCP 47 tag.
   *
   * @example de
   */
  locale: string
  /**
 * A line `Subject: …`, an empty line, and the paragraphs. Null removes the template.
 *
 * @example Subject: Passwort

[Neues Passwort wählen]({{link}})
 */
  text: string | null
  /** Replaces the HTML that is made of the text. Null: none. */
  html?: string | null | undefined
}

/** A tenant of a user. */
export interface ManagedMembership {
  /** ID of the tenant. */
  id: string
  /**
   * Name of the tenant.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * Role in the tenant: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  role: string
  /** When the user joined the tenant (RFC 3339, UTC). */
  joinedAt: string
}

/** A tenant: a customer of the product. */
export interface ManagedTenant {
  /** ID of the tenant. */
  id: string
  /**
   * Name of the tenant. Names are not unique.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * The id in the product, or null.
   *
   * @example customer-17
   */
  externalId: string | null
  /** Maximum number of members who accept an invitation, or null. */
  seats: number | null
  /** When the tenant was created (RFC 3339, UTC). */
  createdAt: string
  /** Number of its users. Only if the request has `users`. */
  users?: number | undefined
  /** An object of the product that members see, or null. */
  metadata: { [field: string]: unknown } | null
  /** An object of the product that only the management API shows, or null. */
  privateMetadata: { [field: string]: unknown } | null
}

/** A user as a backend sees it. */
export interface ManagedUser {
  /** ID of the user. */
  id: string
  /**
   * Email address, in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Display name, or null.
   *
   * @example Ada
   */
  preferredName: string | null
  /**
   * Language of the mails to the user, as a BCP 47 tag, or null.
   *
   * @example en-GB
   */
  locale: string | null
  /** Whether the user has proven to receive mail at the address. */
  emailVerified: boolean
  /** Whether logins and tokens of the user are refused. */
  disabled: boolean
  /**
   * The id in the product, or null.
   *
   * @example customer-17
   */
  externalId: string | null
  /** Time of sign-up (RFC 3339, UTC). */
  createdAt: string
  /** An object of the product that the user sees, or null. */
  metadata: { [field: string]: unknown } | null
  /** An object of the product that only the management API shows, or null. */
  privateMetadata: { [field: string]: unknown } | null
  /** The user’s tenants, in the order of joining. */
  memberships: ManagedMembership[]
  /** Whether the user has a password. A user without one logs in by mail, or chooses one with a code. */
  hasPassword: boolean
  /** Until when logins may have to wait because earlier ones failed, or null. Those from a known network may not have to. */
  throttledUntil: string | null
  /** Number of sessions that have not ended. */
  sessions: number
  /** The failed logins. Only if the request of `getUser` has `failedLogins`. */
  failedLogins?: FailedLogins | undefined
  /** Day of the last login from a known network (UTC), or null. A network is known for 30 days. */
  lastLoginOn: string | null
}

/** A user of a tenant. */
export interface Member {
  /** ID of the user. */
  id: string
  /**
   * Email address, in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Display name, or null.
   *
   * @example Ada
   */
  preferredName: string | null
  /**
   * Role in the tenant: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  role: string
  /** When the user joined the tenant (RFC 3339, UTC). */
  joinedAt: string
}

/** A page of the users of a tenant. */
export interface MemberList {
  /** Ordered by id of the user. */
  members: Member[]
  /** The `after` of the next page; null if this is the last one. */
  next: string | null
}

/** A tenant that has no owner. */
export interface OwnerlessTenant {
  /** ID of the tenant. Null if the request only checks and would create the tenant. */
  id: string | null
  /** The ID that your product has given to the tenant. */
  externalId: string | null
  /** Name of the tenant. */
  name: string
}

/** A passkey. */
export interface Passkey {
  /** ID of the credential, as base64url. */
  credentialId: string
  /** The domain at which it works. */
  domain: string
  /** The `user.id` with which it was created, as base64url. */
  userHandle: string
  /** Whether other devices of the user can have it. */
  isSynced: boolean
}

/** A passkey of an imported user. It works only at the same domain as before. Bytes are base64url. */
export interface PasskeyOfLine {
  /**
   * ID of the credential.
   *
   * @example -R85HbTJsv3g6nAYnLo_tj9Xm6YSKzOtlP_D7DMAhL4
   */
  credentialId: string
  /**
   * The public key as a COSE key (RFC 9052).
   *
   * @example pQECAyYgASFYIK_vr6Fvl8qbLSPrhsy2QJjSDbkIVgYuskmcM6m2cvJt9iJYIJMKVrh6L8pmM0sDRYq_h5cXwSzGjtcykK8uJmR5a5Ig
   */
  publicKey: string
  /**
   * The RP ID with which it was created.
   *
   * @example example.com
   */
  domain: string
  /**
   * The `user.id` with which it was created.
   *
   * @example MDFhMWZjNmU
   */
  userHandle: string
  /** Its counter. Default: 0, it does not count. */
  signCount?: number | null | undefined
  /** How its authenticator can be reached. */
  transports?: string[] | null | undefined
  /** Whether other devices can have it (the flag BE). */
  isSynced: boolean
  /** Whether it can log in alone: it is discoverable, and has verified its user. Default: true. */
  logsIn?: boolean | null | undefined
  /**
   * Name that the user has given to it.
   *
   * @example Ada’s phone
   */
  name?: string | null | undefined
  /** When it was added. Default: `createdAt` of the user. */
  createdAt?: string | null | undefined
}

/** Slug of a workspace or name of a database. */
export type PathName = string

/** What is known of a person who has no account yet. */
export interface PersonProfile {
  /**
   * Email address, or null.
   *
   * @example ada@example.com
   */
  email: string | null
  /**
   * Name at the provider, or null.
   *
   * @example Ada
   */
  preferredName: string | null
}

/** Problem details (RFC 9457). */
export interface Problem {
  /** URL of a page that describes the problem type. */
  type: string
  /** Summary of the problem type. Always the same for a `code`. */
  title: string
  /** HTTP status of the response. */
  status: number
  /** Human-readable explanation of this occurrence. */
  detail: string
  /** Path of the request. */
  instance: string
  code: ProblemCode
  /** ID of the request, as in the `X-Request-Id` header and in the server’s log. */
  requestId: string
  /** All field errors. Present if `code` is `validation_failed`. */
  errors?: FieldError[] | undefined
  /** IDs of the tenants that need another owner. Present if `code` is `last_owner`. */
  tenants?: string[] | undefined
  /** What is known of the person. Present if `code` is `account_missing` or `email_not_proven`. */
  profile?: PersonProfile | undefined
  /** Why, for the person who signs up: a text of the app, never HTML. Present if `code` is `sign_up_refused` and the app gives one. */
  reason?: string | undefined
  /** What the second step needs. Present if `code` is `second_factor_required` or `enrolment_required`. */
  secondFactor?: SecondStep | undefined
  /** The work that the request needs. Present if `code` is `proof_required` or `proof_invalid`. */
  work?: Work | undefined
}

/**
 * Stable, machine-readable code of the problem. Treat an unknown code by its status.
 *
 * @example email_taken
 */
export type ProblemCode =
  | 'malformed_request'
  | 'malformed_json'
  | 'validation_failed'
  | 'database_not_found'
  | 'connection_not_found'
  | 'identity_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'tenant_not_found'
  | 'domain_not_found'
  | 'email_taken'
  | 'last_login_method'
  | 'already_member'
  | 'invitations_full'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'headers_too_large'
  | 'internal_error'
  | 'unavailable'
  | 'key_invalid'
  | 'insufficient_scope'
  | 'user_not_found'
  | 'external_id_taken'
  | 'events_not_kept'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'sso_untested'
  | 'connection_needed'
  | 'no_exempt_owner'
  | 'issuer_shared'
  | 'domain_taken'
  | 'domain_unproven'
  | 'sso_full'
  | 'connection_invalid'
  | 'account_operations_off'
  | 'tenant_operations_off'
  | 'app_url_missing'
  | 'user_disabled'
  | 'already_verified'

/** A passkey of the user. */
export interface PublicKeyCredentialDescriptorJSON {
  /** The kind of credential. */
  type: 'public-key'
  /**
   * ID of the credential.
   *
   * @example -R85HbTJsv3g6nAYnLo_tj9Xm6YSKzOtlP_D7DMAhL4
   */
  id: string
  /** How its authenticator can be reached. */
  transports: string[]
}

/** For `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn, section 5.1.10). */
export interface PublicKeyCredentialRequestOptionsJSON {
  /**
   * The challenge to sign.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  challenge: string
  /**
   * The domain of the passkeys.
   *
   * @example example.com
   */
  rpId: string
  /**
   * Milliseconds for which the challenge is valid.
   *
   * @example 300000
   */
  timeout: number
  /** Whether the authenticator must verify its user. */
  userVerification: 'required' | 'preferred'
  /** The passkeys of the user. Empty: the authenticator lists those that it has. */
  allowCredentials: PublicKeyCredentialDescriptorJSON[]
}

/** The role of the member. */
export interface PutMemberBody {
  /**
   * `owner`, `admin`, `member` or a role of the database. Without it, a new member is a `member`, and the role of an existing one does not change.
   *
   * @example admin
   */
  role?: string | undefined
}

/** A change that affects tokens that have not expired. */
export interface Revocation {
  type: RevocationType
  /** When all affected tokens have expired, so that the revocation can be discarded (RFC 3339, UTC). */
  expiresAt: string
  /** ID of the user. */
  userId?: string | undefined
  /** The first `gen` that is accepted. */
  generation?: number | undefined
  /** ID of the session. */
  sessionId?: string | undefined
  /** The first `tenants_version` that has the change. */
  version?: number | undefined
  /** ID of the tenant. */
  tenantId?: string | undefined
  /**
   * Role in the tenant. Null if the user is no longer a member.
   *
   * @example admin
   */
  role?: string | null | undefined
  /** ID of the key. */
  kid?: string | undefined
}

/** The revocations after a cursor. */
export interface RevocationList {
  /** In the order in which they apply. */
  revocations: Revocation[]
  /**
   * The `after` of the next request, even if there are no revocations.
   *
   * @example Zx3b9QmWk1Lp.42.5f0c2f7f3c11
   */
  next: string
  /** Whether the next request returns revocations immediately. */
  moreAvailable: boolean
}

/** What a backend that verifies tokens itself must do. `tokens-revoked`: refuse tokens of `userId` whose claim `gen` is less than `generation` or absent. `session-revoked`: refuse tokens whose `sid` is `sessionId`, and tokens without `sid` whose `jti` is `sessionId`. `token-claims-change`: in tokens of `userId` whose claim `tenants_version` is less than `version` or absent, the role in `tenantId` is `role`; null removes the tenant. `tenant-deleted`: remove `tenantId` from all tokens. `key-retired`: refuse tokens of the key `kid`, and fetch the public keys again. */
export type RevocationType =
  | 'tokens-revoked'
  | 'session-revoked'
  | 'token-claims-change'
  | 'tenant-deleted'
  | 'key-retired'

/** `totp`: a code of an authenticator app. `passkey`: a passkey or a security key. `recoveryCode`: one of the codes that the user has stored. */
export type SecondFactorMethod = 'totp' | 'passkey' | 'recoveryCode'

/** What the second step of a login needs. */
export interface SecondStep {
  /** For `verifySecondFactor`, or for `enrolTotp` and `enrolPasskey` if `code` is `enrolment_required`. Null: send the same request again with `secondFactor`. */
  challenge: string | null
  /**
   * Seconds for which the challenge is valid, or null.
   *
   * @example 300
   */
  expiresIn: number | null
  /** What the user can prove. Empty if the user has no factor yet. */
  methods: SecondFactorMethod[]
  /** What the browser needs for a passkey. Absent if the user has none. */
  options?: PublicKeyCredentialRequestOptionsJSON | undefined
}

/** The new password. */
export interface SetPasswordBody {
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  password: string
}

/** The single sign-on of a tenant. */
export interface Sso {
  /** Whether members must log in with it. */
  required: boolean
  /** Since when, or null (RFC 3339, UTC). */
  requiredSince: string | null
  /** IDs of the owners who open the tenant with their second factor instead. */
  exempt: string[]
  /** Seconds for which a login counts. */
  maxAge: number
  /** The level that a login must have, or null for any. */
  acr: 'aal2' | null
  /** Whether what the provider says about second factors counts for `acr`. */
  trustAmr: boolean
  /** Whether a first login creates a member. */
  jit: boolean
  /**
   * Role of such a member: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  defaultRole: string
  /** The callback URL of each connection, with `{id}` for its ID, to register at the provider before `addSsoConnection`. */
  callbackUrl: string
  /** In the order in which they were added. */
  connections: SsoConnection[]
  /** In alphabetical order. */
  domains: SsoDomain[]
}

/** A connection to the identity provider of a tenant. Its secret is never shown. */
export interface SsoConnection {
  /** ID of the connection. */
  id: string
  /**
   * What a button shows.
   *
   * @example Okta
   */
  title: string
  /** Kind of the provider. */
  preset: 'entra' | 'okta' | 'google_workspace' | 'keycloak' | 'auth0' | 'oidc'
  /**
   * Issuer of the provider, without a slash at its end.
   *
   * @example https://acme.okta.com
   */
  issuer: string
  /**
   * ID of the client at the provider.
   *
   * @example 0oa4711
   */
  clientId: string
  /** Google Workspace: the only domain whose accounts may log in, or null. */
  hd: string | null
  /** Requested scopes. Empty: those of the preset. */
  scopes: string[]
  /** Whether members can log in with it. */
  isEnabled: boolean
  /** Whether the client has a secret. */
  hasSecret: boolean
  /** What to register at the provider. */
  callbackUrl: string
  /** When it was added (RFC 3339, UTC). */
  createdAt: string
  /** When a login with it last succeeded, or null (RFC 3339, UTC). */
  testedAt: string | null
}

/** A mail domain of a tenant. */
export interface SsoDomain {
  /**
   * The domain in lower case, as a name of DNS.
   *
   * @example acme.example
   */
  domain: string
  /** `pending`: the record was not found yet. `proven`: it was found. `missing`: it is no longer found, and counts for 14 days. `lost`: the domain no longer counts. */
  state: 'pending' | 'proven' | 'missing' | 'lost'
  /** The record of DNS that proves the domain. */
  record: {
    /** Type of the record. */
    type: 'TXT'
    /**
     * Name of the record.
     *
     * @example _usher.acme.example
     */
    name: string
    /** Text of the record. */
    value: string
  }
  /** When it was added (RFC 3339, UTC). */
  createdAt: string
  /** When it was first proven, or null (RFC 3339, UTC). */
  provenAt: string | null
  /** Since when the record is not found, or null (RFC 3339, UTC). */
  missingSince: string | null
  /** When it is removed unless it is proven, or null (RFC 3339, UTC). */
  expiresAt: string | null
}

/** A person as the provider of a tenant knows it, and the user. */
export interface SsoEntry {
  /** ID of the entry. */
  id: string
  /** ID of the user. */
  userId: string
  /** ID of the connection. */
  connectionId: string
  /** Issuer that has named the person. */
  issuer: string
  /** ID of the person at the provider. */
  subject: string
  /** Address at the provider, or null. */
  email: string | null
  /** Name at the provider, or null. */
  name: string | null
  /** When it was linked to the user (RFC 3339, UTC). */
  linkedAt: string
}

/** A page of the people whom the provider of a tenant has named. */
export interface SsoEntryList {
  /** Ordered by id. */
  entries: SsoEntry[]
  /** The `after` of the next page; null if this is the last one. */
  next: string | null
}

/** A link to the portal of a tenant. */
export interface SsoPortal {
  /**
   * Where the administrator of the customer sets up single sign-on. One browser can open it. A repeated request gets null.
   *
   * @example https://app.example.com/sso-setup#code=…
   */
  url: string | null
  /** When the portal closes (RFC 3339, UTC). */
  expiresAt: string
}

/** A page of tenants. */
export interface TenantList {
  /** Ordered by id, and with `namePrefix` by name. */
  tenants: ListedTenant[]
  /** The `after` of the next page; null if this is the last one. */
  next: string | null
}

/** A tenant of an imported user. */
export interface TenantOfLine {
  /** ID of the tenant. Lines with the same ID, and an existing tenant with it, are one tenant. Default: that of the tenant with the same `externalId`, or a new ID. */
  id?: string | null | undefined
  /**
   * Name of the tenant. Ignored if a tenant has the `id`. Without `id`, it must be that of the tenant with the same `externalId`.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * The id in the product. Unique in the database among users, and among tenants. Null removes it.
   *
   * @example customer-17
   */
  externalId?: string | null | undefined
  /** Shown to the user. That of a tenant is shown to its members. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  metadata?: { [field: string]: unknown } | null | undefined
  /** Shown only by the management API. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  privateMetadata?: { [field: string]: unknown } | null | undefined
  /**
   * Maximum number of members: beyond it, no invitation can be accepted. Null removes the limit. This API can add members beyond it.
   *
   * @example 25
   */
  seats?: number | null | undefined
  /**
   * Role of the user. Default: `member`.
   *
   * @example admin
   */
  role?: string | null | undefined
  /** When it was created. Default: `createdAt` of the user. */
  createdAt?: string | null | undefined
  /** When the user joined it. Default: `createdAt` of the user. */
  joinedAt?: string | null | undefined
}

/** An authenticator app of an imported user, with SHA-1, six digits and 30 seconds. */
export interface TotpOfLine {
  /**
   * The secret of the app in base32, of at least 80 bits.
   *
   * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
   */
  secret: string
  /**
   * Name that the user has given to it.
   *
   * @example Ada’s phone
   */
  name?: string | null | undefined
  /** When it was added. Default: `createdAt` of the user. */
  createdAt?: string | null | undefined
}

/** A code. It replaces earlier codes with the same purpose. */
export interface UserCode {
  /** The code, or null if it was sent by mail. */
  code: string | null
  /** When it expires (RFC 3339, UTC). */
  expiresAt: string
}

/** The second factors of a user. */
export interface UserFactorList {
  /** The oldest first. */
  factors: Factor[]
  /**
   * Number of recovery codes that are left.
   *
   * @example 8
   */
  recoveryCodes: number
}

/** An account at a provider with which a user logs in. */
export interface UserIdentity {
  /** ID of the identity. */
  id: string
  /**
   * Name of the connection.
   *
   * @example google
   */
  connection: string
  /**
   * Address of the account at the provider when it was linked, or null. It can differ from that of the user.
   *
   * @example ada@example.com
   */
  email: string | null
  /** When it was linked (RFC 3339, UTC). */
  linkedAt: string
  /**
   * The provider, as its ID tokens name it.
   *
   * @example https://accounts.google.com
   */
  issuer: string
  /**
   * ID of the account at the provider.
   *
   * @example 110169484474386276334
   */
  subject: string
}

/** The identities of a user. */
export interface UserIdentityList {
  /** At most one of each connection, the oldest first. */
  identities: UserIdentity[]
}

/** A user to import. Null means absent, and an unknown field is an error. */
export interface UserLine {
  /** ID of the user. Default: a new ID. */
  id?: string | null | undefined
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /** A password hash in a format that the import accepts. Without it, no password matches. */
  passwordHash?: string | null | undefined
  /**
   * Display name.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
  /**
   * The id in the product. Unique in the database among users, and among tenants. Null removes it.
   *
   * @example customer-17
   */
  externalId?: string | null | undefined
  /** Shown to the user. That of a tenant is shown to its members. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  metadata?: { [field: string]: unknown } | null | undefined
  /** Shown only by the management API. A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it. */
  privateMetadata?: { [field: string]: unknown } | null | undefined
  /** In the order of joining, each given once. */
  tenants?: TenantOfLine[] | null | undefined
  /** The accounts at providers with which the user logs in, at most one of each connection. */
  identities?: IdentityOfLine[] | null | undefined
  /** The authenticator apps of the user. Logins need a code of one of them. */
  totp?: TotpOfLine[] | null | undefined
  /** The passkeys of the user. */
  passkeys?: PasskeyOfLine[] | null | undefined
  /** When the user verified the address. */
  emailVerifiedAt?: string | null | undefined
  /** When the user was disabled. */
  disabledAt?: string | null | undefined
  /** Time of sign-up. Default: now. */
  createdAt?: string | null | undefined
}

/** A page of users. */
export interface UserList {
  /** Ordered by id, with `emailPrefix` by address, with `namePrefix` by name, or as `order` says. */
  users: ListedUser[]
  /** The `after` of the next page; null if this is the last one. */
  next: string | null
}

/** A session of a user. */
export interface UserSession {
  /** ID of the session. */
  id: string
  /** Name that the app has given to the session, or null. */
  label: string | null
  /** Time of the login (RFC 3339, UTC). */
  createdAt: string
  /** Time of the last refresh (RFC 3339, UTC). */
  refreshedAt: string
  /** When it ends unless it is refreshed (RFC 3339, UTC). */
  expiresAt: string
}

/** A page of the sessions of a user that have not ended. */
export interface UserSessionList {
  /** Ordered by id. */
  sessions: UserSession[]
  /** The `after` of the next page; null if this is the last one. */
  next: string | null
}

/** The work that a request needs. With `seed`, the base64url of SHA-256 of `challenge`, a line feed and `subject`: find a counter from 0 so that SHA-256 of `seed.counter` begins with `bits` zero bits. Send `challenge.counter` as `Usher-Proof`. */
export interface Work {
  /** Always `work`. */
  kind: 'work'
  /** A text that the server has signed. Valid for 5 minutes, once. */
  challenge: string
  /**
   * Number of zero bits.
   *
   * @example 16
   */
  bits: number
  /**
   * What the proof is for: the operation, a space, and the address in lower case and Unicode NFC.
   *
   * @example createUser ada@example.com
   */
  subject: string
}

/** Query of `listUsers`. */
export interface ListUsersQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
  /** By address, or by time of sign-up; with `-` the last one first. Only without a filter. */
  order?: 'email' | '-email' | 'createdAt' | '-createdAt' | undefined
  /** Only the user with this address, in any spelling. */
  email?: string | undefined
  /** Only the users whose address begins with this text, ignoring case. Ordered by address. */
  emailPrefix?: string | undefined
  /** Only the items whose name begins with this text, ignoring case. Ordered by name. */
  namePrefix?: string | undefined
  /** Only the users with these ids: 1 to 100, separated by commas. */
  ids?: string | undefined
  /** Only the item with this external id. */
  externalId?: string | undefined
  /** Only the users of this tenant. */
  tenant?: string | undefined
  /** Only the users who are disabled, or only those who are not. */
  disabled?: boolean | undefined
  /** Only the users who have a second factor, or only those who have none. */
  secondFactor?: boolean | undefined
}

/** Query of `user`. */
export interface UserQuery {
  /** `true`: with the failed logins, which takes longer. */
  failedLogins?: 'true' | undefined
}

/** Query of `listUserSessions`. */
export interface ListUserSessionsQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
}

/** Query of `listTenants`. */
export interface ListTenantsQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
  /** Only the items whose name begins with this text, ignoring case. Ordered by name. */
  namePrefix?: string | undefined
  /** Only the item with this external id. */
  externalId?: string | undefined
  /** `true`: with the number of users, which takes longer. */
  users?: 'true' | undefined
}

/** Query of `tenant`. */
export interface TenantQuery {
  /** `true`: with the number of users, which takes longer. */
  users?: 'true' | undefined
}

/** Query of `listMembers`. */
export interface ListMembersQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
}

/** Query of `listInvitations`. */
export interface ListInvitationsQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
}

/** Query of `listSsoEntries`. */
export interface ListSsoEntriesQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
}

/** Query of `listEvents`. */
export interface ListEventsQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of an earlier response: start after it. Without it, start with the oldest event. */
  after?: string | undefined
  /** Seconds to wait if there is no event, 0 to 25. Default: 0. */
  wait?: number | undefined
}

/** Query of `listRevocations`. */
export interface ListRevocationsQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of an earlier response: start after it. Without it, start with the oldest revocation. */
  after?: string | undefined
  /** Seconds to wait if there is no revocation, 0 to 25. Default: 0. */
  wait?: number | undefined
}

/** A message for each `error.code`, such as a translation. */
export interface ManagementErrorMessages {
  /** Request validation failed. Fix each field listed in `errors` and send the request again. */
  validation_failed: string
  /** Malformed HTTP request. Send the request with an HTTP client library. */
  malformed_request: string
  /** API key is invalid. Send an API key of this database as a Bearer token. The key is missing, mistyped, expired or revoked, or belongs to another database. */
  key_invalid: string
  /** API key lacks a scope. Use a key with the scope that `detail` names. */
  insufficient_scope: string
  /** Tenant not found. Check the id of the tenant. Users find only the tenants of which they are members. */
  tenant_not_found: string
  /** Database not found. Check the workspace slug and the database name in the path. Both are case-sensitive. */
  database_not_found: string
  /** Request timed out. The server did not receive the whole request in time. Send the request again. */
  request_timeout: string
  /** Request headers are too large. Send less than 16 KiB of headers. */
  headers_too_large: string
  /** Internal server error. Report the `requestId` to the operator of the service. */
  internal_error: string
  /** Service temporarily unavailable. Wait for the number of seconds in `Retry-After`, then send the request again. */
  unavailable: string
  /** Request body is not valid JSON. Send one JSON document, encoded as UTF-8. */
  malformed_json: string
  /** Email address is already in use. Log in, or sign up with another email address. */
  email_taken: string
  /** External id is already in use. Use another external id. No two users of a database can have the same one, and no two tenants. */
  external_id_taken: string
  /** Account operations are off. Ask the operator to turn on the account operations of the database. */
  account_operations_off: string
  /** Database has no app URL. Ask the operator to set the app URL of the database. */
  app_url_missing: string
  /** Request body is too large. Send at most 16 KiB. */
  payload_too_large: string
  /** Unsupported media type. Send JSON with `Content-Type: application/json` and without `Content-Encoding`. */
  unsupported_media_type: string
  /** Idempotency-Key was already used for a different request. Generate a new key for each request. Reuse a key only to retry the same request. */
  idempotency_key_reused: string
  /** User not found. Check the id of the user. */
  user_not_found: string
  /** Resource has changed. Read it again, and repeat the change with the new ETag. */
  precondition_failed: string
  /** Identity not found. Check the id of the identity. Users find only their own. */
  identity_not_found: string
  /** User would have no way to log in. Set a password, link another identity or add a passkey first. */
  last_login_method: string
  /** User is disabled. Enable the user first. */
  user_disabled: string
  /** Email address is already verified. The user needs no code to verify it. */
  already_verified: string
  /** Address belongs to a member of the tenant. Change the role of the member instead. */
  already_member: string
  /** Tenant has too many pending invitations. Revoke an invitation, or wait until one is accepted or expires. */
  invitations_full: string
  /** Tenant operations are off. Ask the operator to turn on the tenant operations of the database. */
  tenant_operations_off: string
  /** Route not found. Check the path against the API reference. */
  route_not_found: string
  /** Single sign-on is not tested. Log in with a connection of the tenant, and require it within 10 minutes. */
  sso_untested: string
  /** An owner without single sign-on is missing. Name one or two owners with a second factor in `exempt`, so that the tenant can be opened while its provider fails. */
  no_exempt_owner: string
  /** Connection cannot be used. Correct what `detail` says, in the connection or at the provider. */
  connection_invalid: string
  /** Issuer has many customers. Send `hd` for Google Workspace, and the issuer of one directory, or `tid`, for Entra. Other providers that anyone can sign up with are not accepted. */
  issuer_shared: string
  /** Tenant has too many connections or domains. Remove one first. A tenant has at most 5 connections and 20 domains. */
  sso_full: string
  /** Connection not found. Use a `name` that `listConnections` returns. */
  connection_not_found: string
  /** Single sign-on needs this connection. Add another connection first, or stop requiring single sign-on. */
  connection_needed: string
  /** Domain not found. Add the domain to the tenant first. */
  domain_not_found: string
  /** Domain is not proven. Add the record to DNS, wait until it is published, and check again. `detail` says what was found. */
  domain_unproven: string
  /** Domain belongs to another tenant. Remove the record of the other tenant from DNS, and check again after 24 hours. Or ask the operator to move the domain. */
  domain_taken: string
  /** Events are not kept. Ask the operator to set `--events-kept` of the database to a number of days. */
  events_not_kept: string
  /** Cursor has expired. The next items were deleted, or the store was restored from a backup. Read all data that your copy depends on again, and send the request without `after` to start with the oldest item. */
  cursor_expired: string
  /** There was no response from Usher. `cause` has the reason. Try again later. */
  no_answer: string
}

/** Every `error.code` of every operation. */
export type ManagementErrorCode = keyof ManagementErrorMessages
