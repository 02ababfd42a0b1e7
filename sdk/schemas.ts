// Generated from the contract by scripts/write-sdk-api.js (npm run sdk-api). Do not edit.

/** The code in the mail. */
export interface AcceptInvitationBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** Empty. It does not reveal whether a mail is sent. */
export type Accepted = { [field: string]: never }

/** The tenant that the current user has joined. */
export interface AcceptedInvitation {
  /** ID of the tenant. */
  tenantId: string
  /**
   * Role of the current user: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  role: string
  /** When the user joined the tenant (RFC 3339, UTC). */
  joinedAt: string
  token?: AccessToken | undefined
}

/** Access token for later requests of the user. */
export interface AccessToken {
  /** JWT (RFC 9068) to send as `Authorization: Bearer …`. */
  jwt: string
  /**
   * Lifetime of the token in seconds. It ends before its session.
   *
   * @example 3600
   */
  maxAge: number
  /** Always `ACCESS_TOKEN`. */
  type: 'ACCESS_TOKEN'
}

/** What the browser has returned. */
export interface AddPasskeyBody {
  passkey: RegistrationResponseJSON
  /**
   * Name of the passkey, such as that of the device. Null means none.
   *
   * @example Ada’s phone
   */
  name?: string | null | undefined
}

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

/** A login that has returned from the identity provider of a tenant. */
export interface AddTenantProofBody {
  /**
   * The code in the URL to which the provider has led: what follows `#code=`.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
  /**
   * The verifier whose SHA-256 was `challenge`.
   *
   * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
   */
  verifier: string
}

/** The challenge of `enrolTotp`, and the first code of the app. */
export interface AddTotpBody {
  /**
   * `challenge` of `enrolTotp`.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  challenge: string
  /**
   * The first code of the app.
   *
   * @example 240618
   */
  totp: string
  /**
   * Name of the factor, such as that of the device. Null means none.
   *
   * @example Ada’s phone
   */
  name?: string | null | undefined
}

/** The factor, and the user with a new access token, because all earlier ones were revoked. */
export interface AddedFactor {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
  confirmation: Confirmation
  factor: Factor
  /** Eight codes that each log in once without the app. They are not shown again. Null: the user has codes. */
  recoveryCodes: string[] | null
}

/** What `navigator.credentials.get` has returned, as JSON (WebAuthn, section 5.1.8). Other fields are ignored. */
export interface AuthenticationResponseJSON {
  /** ID of the credential. */
  id: string
  /** What the authenticator has signed. */
  response: {
    /** What the browser has signed: its origin, and the challenge. */
    clientDataJSON: string
    /** What the authenticator says of itself, and its counter. */
    authenticatorData: string
    /** The signature of both. */
    signature: string
    /** The `user.id` with which the passkey was created. Null and an empty text mean none. */
    userHandle?: string | null | undefined
  }
}

/** What the browser needs to log in with a passkey. */
export interface BegunPasskeyLogin {
  options: PublicKeyCredentialRequestOptionsJSON
}

/** What the user can prove. */
export interface BegunStepUp {
  /** What the user can prove. Empty: the password. */
  methods: SecondFactorMethod[]
  /** What the browser needs for a passkey. Absent if the user has none. */
  options?: PublicKeyCredentialRequestOptionsJSON | undefined
}

/** The code in the mail to the new address. */
export interface ChangeEmailBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** The new role. */
export interface ChangeMemberBody {
  /**
   * `owner`, `admin`, `member` or a role of the database.
   *
   * @example admin
   */
  role: string
}

/** The current password and the new one. */
export interface ChangePasswordBody {
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  newPassword: string
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
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

/** The address of the user from now on, which is verified. */
export interface ChangedEmail {
  /**
   * The address, as `getMe` returns it.
   *
   * @example ada@engines.example
   */
  email: string
}

/** Confirms sensitive changes of the account. Send it only to this service, in the field `confirmation`. */
export interface Confirmation {
  /** The confirmation. */
  value: string
  /**
   * Seconds for which it is valid, for several changes.
   *
   * @example 600
   */
  maxAge: number
}

/** What confirms the change. */
export interface ConfirmationBody {
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
}

/** The user who has logged in or stepped up, with a new access token and a confirmation. */
export interface ConfirmedUser {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
  confirmation: Confirmation
}

/** A provider with which users log in. */
export interface ConnectionInfo {
  /**
   * Name of the connection, for `startLogin`.
   *
   * @example google
   */
  name: string
  /**
   * What a button shows.
   *
   * @example Google
   */
  title: string
  /**
   * Kind of the provider, for its logo: such as `google` or `oidc`.
   *
   * @example google
   */
  preset: string
}

/** The providers with which users log in. */
export interface ConnectionList {
  /** In the order in which they were added. */
  connections: ConnectionInfo[]
}

/** The tenant to create. */
export interface CreateTenantBody {
  /**
   * Name of the tenant. Need not be unique.
   *
   * @example Analytical Engines
   */
  name: string
}

/** The user to sign up. */
export interface CreateUserBody {
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
  password: string
  /**
   * Display name. Null means none.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag. Null means none: each mail follows the request that causes it.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
  /**
   * Name of a tenant to create for the user in the same request. Null means none.
   *
   * @example Analytical Engines
   */
  newTenant?: string | null | undefined
  /**
   * The code of an invitation to `email`, from the mail. The user joins the tenant, and the address counts as verified. Null means none.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  invitationCode?: string | null | undefined
}

/** The password, as confirmation. */
export interface DeleteMeBody {
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
}

/** What confirms that the user wants the passkey. */
export interface EnrolPasskeyBody {
  /**
   * `secondFactor.challenge` of the problem `enrolment_required`. It takes the place of the token and the confirmation.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  challenge?: string | undefined
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
}

/** What confirms that the user wants the factor. */
export interface EnrolTotpBody {
  /**
   * `secondFactor.challenge` of the problem `enrolment_required`. It takes the place of the token and the confirmation.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  challenge?: string | undefined
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
}

/** What the browser needs to create a passkey. Nothing is stored before `addPasskey`. */
export interface EnrolledPasskey {
  options: PublicKeyCredentialCreationOptionsJSON
}

/** A new secret for an authenticator app. Nothing is stored before `addTotp`. */
export interface EnrolledTotp {
  /** For `addTotp`. */
  challenge: string
  /** The secret in base32, for typing. */
  secret: string
  /** The secret as a URI, for a QR code. */
  uri: string
  /** When the challenge expires (RFC 3339, UTC). */
  expiresAt: string
}

/** A login at a provider. Nothing is stored until the provider returns. */
export interface ExternalLogin {
  /** ID of the login. A failed login returns with it. */
  login: string
  /** Where to lead the browser. */
  url: string
  /** What `loginWithIdToken` needs. `url` has it, too. */
  state: string
  /** The nonce with which an app on a phone requests an ID token. `url` has it, too. */
  nonce: string
  /** When the login expires (RFC 3339, UTC). */
  expiresAt: string
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

/** The second factors of the user. */
export interface FactorList {
  /** The oldest first. */
  factors: Factor[]
  /**
   * Number of recovery codes that are left.
   *
   * @example 8
   */
  recoveryCodes: number
  /** Whether the user has a password, which sensitive changes need. */
  hasPassword: boolean
  /** Whether logins need a second factor. */
  secondFactor: {
    /** Whether logins of the user need a second factor now. */
    on: boolean
    /** When logins need a second factor even if the user has none (RFC 3339, UTC). Null: the app does not require one. */
    dueAt: string | null
  }
}

/** What the pages of an app need to know about a database. */
export interface Features {
  /** Whether users can sign up. */
  signUp: boolean
  /** Lengths of new passwords. */
  password: {
    /** Minimum number of characters (Unicode code points). */
    min: number
    /** Maximum number of characters. */
    max: number
  }
  /** Whether users have sessions and can change their account. */
  accountOperations: boolean
  /** Whether users can create tenants and manage their own. */
  tenantOperations: boolean
  /** Whether `verifyEmail` needs a token of the user, in addition to the code. */
  verifyEmailWithToken: boolean
  /** What the mail of `requestLoginCode` has: a link, six digits (`code`), or both. `off`: users cannot log in by mail. */
  loginMail: 'off' | 'code' | 'link' | 'both'
  /** Whether users can have a second factor, and must. */
  secondFactor: 'off' | 'optional' | 'required'
  /** Whether users can have passkeys. */
  passkeys: boolean
  /** Whether tenants can have single sign-on. */
  singleSignOn: boolean
  /** Whether `routeLogin` finds the single sign-on of an address. A form then asks for the address first. */
  ssoRouting: boolean
  /** Roles of members, those with the most rights first. */
  roles: Role[]
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

/** Either `code`, or `login` and `digits`. With the verifier of the client that started the login. */
export interface FinishLoginBody {
  /**
   * The code in the mail, or in the URL to which the provider has led: what follows `#code=`.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code?: string | undefined
  /**
   * `login` of `requestLoginCode`, with `digits`.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03
   */
  login?: string | undefined
  /**
   * The six digits in the mail.
   *
   * @example 240618
   */
  digits?: string | undefined
  /**
   * The verifier whose SHA-256 was `challenge`.
   *
   * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
   */
  verifier: string
  /**
   * Display name. Null means none.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag. Null means none: each mail follows the request that causes it.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
  /**
   * Name of a tenant to create for the user in the same request. Null means none.
   *
   * @example Analytical Engines
   */
  newTenant?: string | null | undefined
  /**
   * The code of an invitation to `email`, from the mail. The user joins the tenant, and the address counts as verified. Null means none.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  invitationCode?: string | null | undefined
  /** Whether to sign up a person without an account. By default true. False returns `account_missing` instead. */
  mayCreate?: boolean | undefined
  /** After `email_not_proven`: the mailed code that proves the address. It was requested with the same verifier. */
  mail?: MailProof | undefined
  /** After `second_factor_required`: the proof of the second factor. */
  secondFactor?: SecondFactorProof | undefined
}

/** The user who has logged in, with a new access token. */
export interface FinishedLogin {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
  /** Whether this login has signed the user up. */
  isNewUser: boolean
}

/** An account at a provider with which the user logs in. */
export interface Identity {
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
}

/** The identities of the user. */
export interface IdentityList {
  /** At most one of each connection, the oldest first. */
  identities: Identity[]
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

/** What a page shows to a user who has opened the link of an invitation. */
export interface InvitationDetails {
  /** Name of the tenant. */
  tenantName: string
  /** Preferred name of the user who invited last. Null if there is none, or if an operator did. */
  inviterName: string | null
  /**
   * Role that the user gets: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  role: string
  /**
   * The invited address, in Unicode NFC.
   *
   * @example grace@example.com
   */
  email: string
  /** When the invitation expires (RFC 3339, UTC). */
  expiresAt: string
}

/** The address to invite, and its role. */
export interface InviteMemberBody {
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

/** A login at a provider that has returned, and the password as confirmation. */
export interface LinkIdentityBody {
  /**
   * The code in the URL to which the provider has led: what follows `#code=`.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
  /**
   * The verifier whose SHA-256 was `challenge`.
   *
   * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
   */
  verifier: string
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
}

/** The email and the password given at sign-up. */
export interface LoginBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Compared after Unicode NFKC normalization.
   *
   * @example correct horse battery
   */
  password: string
}

/** How a person with an address logs in. */
export interface LoginRoute {
  /** The single sign-on of the domain of the address, or null. */
  connection: {
    /** ID of the connection, for `startLogin`. */
    id: string
    /**
     * What a button shows.
     *
     * @example Okta
     */
    title: string
  } | null
}

/** An ID token that the app has from the provider, and the login for which it was requested. */
export interface LoginWithIdTokenBody {
  /**
   * `state` of `startLogin`.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  state: string
  /**
   * The ID token (OpenID Connect Core, section 2). Its `nonce` is that of `startLogin`, or the SHA-256 of it in hexadecimal.
   *
   * @example eyJhbGciOiJSUzI1NiJ9.e30.c2ln
   */
  idToken: string
  /**
   * The verifier whose SHA-256 was `challenge`.
   *
   * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
   */
  verifier: string
  /**
   * Display name. Null means none.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag. Null means none: each mail follows the request that causes it.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
  /**
   * Name of a tenant to create for the user in the same request. Null means none.
   *
   * @example Analytical Engines
   */
  newTenant?: string | null | undefined
  /**
   * The code of an invitation to `email`, from the mail. The user joins the tenant, and the address counts as verified. Null means none.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  invitationCode?: string | null | undefined
  /** Whether to sign up a person without an account. By default true. False returns `account_missing` instead. */
  mayCreate?: boolean | undefined
  /** After `email_not_proven`: the mailed code that proves the address. It was requested with the same verifier. */
  mail?: MailProof | undefined
  /** After `second_factor_required`: the proof of the second factor. */
  secondFactor?: SecondFactorProof | undefined
}

/** What the browser has returned. */
export interface LoginWithPasskeyBody {
  passkey: AuthenticationResponseJSON
}

/** A mailed code that proves the address of a login at a provider. */
export interface MailProof {
  /**
   * `login` of `requestLoginCode`.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03
   */
  login: string
  /**
   * The six digits in the mail.
   *
   * @example 240618
   */
  digits: string
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

/** A user’s membership of a tenant. */
export interface Membership {
  /** ID of the tenant. */
  id: string
  /**
   * Name of the tenant. Names are not unique.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * Role in the tenant: `owner`, `admin`, `member` or a role of the database.
   *
   * @example owner
   */
  role: string
  /** When the user joined the tenant (RFC 3339, UTC). */
  joinedAt: string
  /** What the product keeps about the tenant and shows to its members, or null. */
  metadata: { [field: string]: unknown } | null
}

/** The session to open. */
export interface OpenSessionBody {
  /**
   * Name of the session in the list of sessions, such as that of the device. Null means none.
   *
   * @example Ada’s phone
   */
  label?: string | null | undefined
}

/** The code in the URL of the portal. */
export interface OpenSsoPortalBody {
  /**
   * What follows `#code=` in the URL.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** The tenant of the portal, and a token with which to set up its single sign-on. */
export interface OpenedSsoPortal {
  /** The Bearer token for the single sign-on of this tenant. Keep it in this browser. */
  token: string
  /** ID of the tenant. */
  tenantId: string
  /** Name of the tenant. */
  tenantName: string
  /** Whether it may require single sign-on of the members. */
  mayRequire: boolean
  /** When the portal closes (RFC 3339, UTC). */
  expiresAt: string
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

/** Slug of a workspace or name of a database. */
export type PathName = string

/** The invitations of a tenant. */
export interface PendingInvitations {
  /** Ordered by id. At most 100. */
  invitations: Invitation[]
}

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
  | 'code_invalid'
  | 'challenge_invalid'
  | 'second_factor_required'
  | 'enrolment_required'
  | 'second_factor_invalid'
  | 'passkey_invalid'
  | 'passkey_unknown'
  | 'step_up_required'
  | 'invalid_credentials'
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'session_ended'
  | 'database_not_found'
  | 'connection_not_found'
  | 'identity_not_found'
  | 'factor_not_found'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'sign_up_refused'
  | 'proof_required'
  | 'proof_invalid'
  | 'sign_up_closed'
  | 'login_refused'
  | 'recent_login_required'
  | 'not_member'
  | 'membership_ended'
  | 'second_factor_missing'
  | 'own_login_required'
  | 'role_insufficient'
  | 'tenant_not_found'
  | 'domain_not_found'
  | 'member_not_found'
  | 'email_taken'
  | 'account_missing'
  | 'account_exists'
  | 'email_not_proven'
  | 'identity_taken'
  | 'already_linked'
  | 'last_login_method'
  | 'factors_full'
  | 'factor_needed'
  | 'email_recently_changed'
  | 'last_owner'
  | 'tenants_full'
  | 'already_member'
  | 'invitations_full'
  | 'invitation_for_other_address'
  | 'email_not_verified'
  | 'seats_full'
  | 'session_not_opened'
  | 'session_required'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'too_many_attempts'
  | 'too_many_invitations'
  | 'too_many_sign_ups'
  | 'too_many_mails'
  | 'too_many_changes'
  | 'headers_too_large'
  | 'internal_error'
  | 'provider_unavailable'
  | 'unavailable'
  | 'sso_untested'
  | 'connection_needed'
  | 'no_exempt_owner'
  | 'issuer_shared'
  | 'domain_taken'
  | 'domain_unproven'
  | 'sso_full'
  | 'connection_invalid'

/** For `navigator.credentials.create`, after `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn, section 5.1.9). */
export interface PublicKeyCredentialCreationOptionsJSON {
  /**
   * The challenge to sign.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  challenge: string
  /** The app. */
  rp: {
    /**
     * The domain of the passkeys.
     *
     * @example example.com
     */
    id: string
    /**
     * Name of the app.
     *
     * @example Acme
     */
    name: string
  }
  /** How the authenticator lists the passkey. */
  user: {
    /**
     * The user handle, as base64url.
     *
     * @example MDFhMWZjNmU
     */
    id: string
    /**
     * Email address of the user.
     *
     * @example ada@example.com
     */
    name: string
    /**
     * Email address of the user.
     *
     * @example ada@example.com
     */
    displayName: string
  }
  /** The accepted algorithms (RFC 9053). */
  pubKeyCredParams: {
    /** The kind of credential. */
    type: 'public-key'
    /** Number of the algorithm. */
    alg: number
  }[]
  /**
   * Milliseconds for which the challenge is valid.
   *
   * @example 300000
   */
  timeout: number
  /** The passkeys of the user. Their authenticators add no other one. */
  excludeCredentials: PublicKeyCredentialDescriptorJSON[]
  /** What the authenticator should do. */
  authenticatorSelection: {
    /** Whether to create a discoverable passkey. */
    residentKey: 'preferred'
    /** Whether the authenticator must verify its user. */
    userVerification: 'required' | 'preferred'
  }
  /** Whether the authenticator should attest its kind. */
  attestation: 'none'
  /** What the browser should tell of the passkey. */
  extensions: {
    /** Whether the passkey is discoverable. */
    credProps: boolean
  }
}

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

/** The code in the mail. */
export interface ReadInvitationBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** New recovery codes. */
export interface RecoveryCodes {
  /** Eight codes. They are not shown again. */
  codes: string[]
}

/** Credential of a session. Never send it to any other server. */
export interface RefreshToken {
  /** Send it in the body of `refreshSession`, once. Each response has the next one. */
  value: string
  /**
   * Seconds until the session ends if it is not refreshed.
   *
   * @example 1209600
   */
  maxAge: number
  /** Always `REFRESH_TOKEN`. */
  type: 'REFRESH_TOKEN'
}

/** The refresh token of a session. */
export interface RefreshTokenBody {
  /**
   * `refreshToken.value` of the last response.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  refreshToken: string
}

/** What `navigator.credentials.create` has returned, as JSON (WebAuthn, section 5.1.8). Other fields are ignored, and so is the attestation. */
export interface RegistrationResponseJSON {
  /** ID of the credential. */
  id: string
  /** What the authenticator has created. */
  response: {
    /** What the browser has signed: its origin, and the challenge. */
    clientDataJSON: string
    /** The public key, and what the authenticator says of itself. */
    attestationObject: string
    /** How the authenticator can be reached, for later logins. */
    transports?: string[] | null | undefined
  }
  /** What the browser says of the passkey. */
  clientExtensionResults?:
    | {
        credProps?:
          | {
              rk?: boolean | null | undefined
            }
          | null
          | undefined
      }
    | null
    | undefined
}

/** The new name. */
export interface RenameFactorBody {
  /**
   * Name of the factor. Null removes it.
   *
   * @example Ada’s phone
   */
  name: string | null
}

/** The new address, and the current password. */
export interface RequestEmailChangeBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
}

/** The address of the user, and what binds the login to this client. */
export interface RequestLoginCodeBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * SHA-256 of a new random verifier as base64url, as the method `S256` of PKCE (RFC 7636, section 4.2). The client keeps the verifier for `finishLogin`.
   *
   * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
   */
  challenge: string
}

/** The address of the account. */
export interface RequestPasswordResetBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
}

/** The code in the mail, and the new password. */
export interface ResetPasswordBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
  /**
   * By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.
   *
   * @example correct horse battery
   */
  newPassword: string
  /** After `second_factor_required`: the proof of the second factor. */
  secondFactor?: SecondFactorProof | undefined
}

/** A role that members of tenants can have. */
export interface Role {
  /**
   * Name of the role.
   *
   * @example owner
   */
  name: string
  /** The built-in role whose rights it has. */
  rights: 'owner' | 'admin' | 'member'
}

/** The address of the person who logs in. */
export interface RouteLoginBody {
  /**
   * Unique within the database. Compared case-insensitively, stored in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
}

/** `totp`: a code of an authenticator app. `passkey`: a passkey or a security key. `recoveryCode`: one of the codes that the user has stored. */
export type SecondFactorMethod = 'totp' | 'passkey' | 'recoveryCode'

/** Exactly one proof of a second factor. */
export interface SecondFactorProof {
  /**
   * The code of an authenticator app (RFC 6238). Digits of any script are accepted. Spaces and hyphens are ignored. Null means none.
   *
   * @example 240618
   */
  totp?: string | null | undefined
  /** What the browser has returned for the options. */
  passkey?: AuthenticationResponseJSON | undefined
  /**
   * A recovery code. It can be used once. Case, spaces and hyphens are ignored. Null means none.
   *
   * @example k7qd-x2mp-9wvc-4hjn
   */
  recoveryCode?: string | null | undefined
}

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

/** The user, with a new access token and the next refresh token of the session. */
export interface Session {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
  refreshToken: RefreshToken
}

/** A session that has not ended. */
export interface SessionInfo {
  /** ID of the session: the `sid` claim of its tokens. */
  id: string
  /** Time of the login (RFC 3339, UTC). */
  createdAt: string
  /** Time of the last refresh (RFC 3339, UTC). */
  refreshedAt: string
  /**
   * The label given to `openSession`. Null if there was none.
   *
   * @example Ada’s phone
   */
  label: string | null
  /** Whether the token of this request belongs to the session, or is the one that opened it. */
  current: boolean
}

/** The sessions of the user that have not ended. */
export interface SessionList {
  /** At most 100: the current one first, then the most recently refreshed. */
  sessions: SessionInfo[]
}

/** Whether logins need a second factor. */
export interface SetSecondFactorBody {
  /** Whether logins of the user need a second factor. Adding an authenticator app turns it on. */
  on: boolean
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
}

/** The user who signed up or logged in, with a new access token. */
export interface SignedInUser {
  /** ID of the user. */
  id: string
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  token: AccessToken
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

/** The connection, and what binds the login to this client. */
export interface StartLoginBody {
  /**
   * Name of a connection.
   *
   * @example google
   */
  connection: string
  /**
   * SHA-256 of a new random verifier as base64url, as the method `S256` of PKCE (RFC 7636, section 4.2). The client keeps the verifier for `finishLogin`.
   *
   * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
   */
  challenge: string
  /**
   * Where the login returns to: one of the URLs that the operator has allowed. By default the first one. Null means the default.
   *
   * @example https://app.example.com/login
   */
  redirectUrl?: string | null | undefined
  /**
   * What the person has typed, such as the address. Providers with OpenID Connect get it as `login_hint`, and need not ask again.
   *
   * @example ada@example.com
   */
  loginHint?: string | undefined
}

/** A login that the mail can finish. It does not reveal whether a mail is sent. */
export interface StartedLogin {
  /** ID of the login. */
  login: string
  /** When the link and the digits in the mail expire (RFC 3339, UTC). */
  expiresAt: string
}

/** Exactly one proof. A user without a second factor gives the password instead. A user with both may add the password, and the confirmation then takes its place. A user with neither has none, and logs in again. */
export interface StepUpBody {
  /**
   * The code of an authenticator app (RFC 6238). Digits of any script are accepted. Spaces and hyphens are ignored. Null means none.
   *
   * @example 240618
   */
  totp?: string | null | undefined
  /** What the browser has returned for the options. */
  passkey?: AuthenticationResponseJSON | undefined
  /**
   * A recovery code. It can be used once. Case, spaces and hyphens are ignored. Null means none.
   *
   * @example k7qd-x2mp-9wvc-4hjn
   */
  recoveryCode?: string | null | undefined
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
}

/** A tenant as its members see it. */
export interface Tenant {
  /** ID of the tenant. */
  id: string
  /**
   * Name of the tenant. Names are not unique.
   *
   * @example Analytical Engines
   */
  name: string
  /**
   * Role of the current user: `owner`, `admin`, `member` or a role of the database.
   *
   * @example member
   */
  role: string
  /** Maximum number of members, or null if there is none. */
  seats: number | null
  /** What the product keeps about the tenant and shows to its members, or null. */
  metadata: { [field: string]: unknown } | null
  /** When the tenant was created (RFC 3339, UTC). */
  createdAt: string
}

/** The code in the mail to the former address. */
export interface UndoEmailChangeBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** The password, as confirmation. */
export interface UnlinkIdentityBody {
  /**
   * The current password. A user without one leaves it out, and must have logged in within 10 minutes. Not needed with a `confirmation` for which it was given.
   *
   * @example correct horse battery
   */
  password?: string | undefined
  /** `confirmation.value` of a login with a second factor, or of `stepUp`. Required if the user has a second factor. Null means none. */
  confirmation?: string | null | undefined
}

/** The fields to change. */
export interface UpdateMeBody {
  /**
   * Display name. Null removes it. If this field is absent, it does not change.
   *
   * @example Ada
   */
  preferredName?: string | null | undefined
  /**
   * Language of the mails to the user, as a BCP 47 tag. Null removes it. If this field is absent, it does not change.
   *
   * @example en-GB
   */
  locale?: string | null | undefined
}

/** The fields to change. An absent field does not change. */
export interface UpdateTenantBody {
  /**
   * Name of the tenant. Need not be unique.
   *
   * @example Analytical Engines
   */
  name?: string | undefined
}

/** The user as currently stored. */
export interface User {
  /** ID of the user. */
  id: string
  /**
   * Email address of the sign-up, in Unicode NFC.
   *
   * @example ada@example.com
   */
  email: string
  /**
   * Display name, or null if none was given.
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
  /** IDs of the user’s tenants, in the order in which the user joined them. */
  tenants: string[]
  /** The user’s tenants, in the order of `tenants`. */
  memberships: Membership[]
  /** What the product keeps about the user and shows to the user, or null. */
  metadata: { [field: string]: unknown } | null
  /** Time of sign-up (RFC 3339, UTC). */
  createdAt: string
}

/** The address that is verified now. */
export interface VerifiedEmail {
  /**
   * The verified address, as `getMe` returns it.
   *
   * @example ada@example.com
   */
  email: string
}

/** The code in the mail. */
export interface VerifyEmailBody {
  /**
   * The code in the mail: what follows `#code=` in its link.
   *
   * @example 01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  code: string
}

/** The challenge of the first step, and exactly one proof. */
export interface VerifySecondFactorBody {
  /**
   * `secondFactor.challenge` of the problem `second_factor_required`.
   *
   * @example eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs
   */
  challenge: string
  /**
   * The code of an authenticator app (RFC 6238). Digits of any script are accepted. Spaces and hyphens are ignored. Null means none.
   *
   * @example 240618
   */
  totp?: string | null | undefined
  /** What the browser has returned for the options. */
  passkey?: AuthenticationResponseJSON | undefined
  /**
   * A recovery code. It can be used once. Case, spaces and hyphens are ignored. Null means none.
   *
   * @example k7qd-x2mp-9wvc-4hjn
   */
  recoveryCode?: string | null | undefined
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

/** A challenge for one proof of work. */
export interface WorkChallenge {
  /** A text that the server has signed. Valid for 5 minutes, once. */
  challenge: string
  /**
   * Number of zero bits.
   *
   * @example 16
   */
  bits: number
}

/** Query of `listMembers`. */
export interface ListMembersQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
  /** Only members whose address or preferred name contains this text. Letters of ASCII match in upper and lower case. A request reads 2,000 members: a page may have fewer items than `limit`, even none, and still a `next`. */
  search?: string | undefined
}

/** Query of `listSsoEntries`. */
export interface ListSsoEntriesQuery {
  /** Maximum number of items in a page, 1 to 1000. Default: 50. */
  limit?: number | undefined
  /** `next` of the previous page: start after its last item. */
  after?: string | undefined
}

/** A message for each `error.code`, such as a translation. */
export interface ErrorMessages {
  /** Code is invalid. The code is unknown, used, revoked or expired, or belongs to another user. Request a new one. */
  code_invalid: string
  /** Request body is not valid JSON. Send one JSON document, encoded as UTF-8. */
  malformed_json: string
  /** Request validation failed. Fix each field listed in `errors` and send the request again. */
  validation_failed: string
  /** Malformed HTTP request. Send the request with an HTTP client library. */
  malformed_request: string
  /** Second factor is required. Ask the user for a proof of `secondFactor.methods`. Send it with `secondFactor.challenge` to `verifySecondFactor`. If that is null, send the same request again with the proof as `secondFactor`. */
  second_factor_required: string
  /** The account needs a second factor. Let the user add one: send `secondFactor.challenge` to `enrolTotp`, and then the first code to `addTotp`, which logs in. */
  enrolment_required: string
  /** Sign-up is closed. Ask the operator of the app for an account. */
  sign_up_closed: string
  /** Sign-up is refused. The app does not let this person sign up. Show `reason` as text, if there is one. */
  sign_up_refused: string
  /** Proof of work is required. Do the work that `work` describes, and send the request again with the proof as `Usher-Proof`. */
  proof_required: string
  /** Proof of work is invalid. The proof was used, has expired, or is that of another request. Do the new `work`, and send the request again. */
  proof_invalid: string
  /** Database not found. Check the workspace slug and the database name in the path. Both are case-sensitive. */
  database_not_found: string
  /** Request timed out. The server did not receive the whole request in time. Send the request again. */
  request_timeout: string
  /** Email address is already in use. Log in, or sign up with another email address. */
  email_taken: string
  /** Invitation is for another email address. Use the account with the address to which the invitation was sent. */
  invitation_for_other_address: string
  /** Tenant has no free seat. Remove a member, or ask the operator to raise the number of seats. */
  seats_full: string
  /** Request body is too large. Send at most 16 KiB. */
  payload_too_large: string
  /** Unsupported media type. Send JSON with `Content-Type: application/json` and without `Content-Encoding`. */
  unsupported_media_type: string
  /** Idempotency-Key was already used for a different request. Generate a new key for each request. Reuse a key only to retry the same request. */
  idempotency_key_reused: string
  /** Too many failed attempts. Wait for the number of seconds in `Retry-After` before the next attempt. */
  too_many_attempts: string
  /** Too many sign-ups. Wait for the number of seconds in `Retry-After` before the next sign-up. */
  too_many_sign_ups: string
  /** Request headers are too large. Send less than 16 KiB of headers. */
  headers_too_large: string
  /** Internal server error. Report the `requestId` to the operator of the service. */
  internal_error: string
  /** Service temporarily unavailable. Wait for the number of seconds in `Retry-After`, then send the request again. */
  unavailable: string
  /** Invalid email or password. Ask the user for both again. The response does not reveal which one is wrong or whether the account exists. */
  invalid_credentials: string
  /** Access token is missing. Log in, and send `token.jwt` from the response as a Bearer token in the `Authorization` header. */
  token_missing: string
  /** Access token is invalid. Log in again. The token was altered, revoked or issued by another database, its session has ended, or its user was disabled or deleted. */
  token_invalid: string
  /** Access token has expired. Log in again. A token is valid for `maxAge` seconds. */
  token_expired: string
  /** Route not found. Check the path against the API reference. */
  route_not_found: string
  /** Second factor is wrong. Ask the user for the current code. Each code and each use of a passkey is accepted once, and the clock of the phone must be right. */
  second_factor_invalid: string
  /** Account is disabled. Ask the operator of the app. */
  login_refused: string
  /** Not a member of the tenant. An owner of the tenant must invite the person. Members log in with a way of their own, and then link the person with `addTenantProof`. */
  not_member: string
  /** Membership has ended. An owner of the tenant must invite the person again. */
  membership_ended: string
  /** Second factor is missing. The tenant needs a second factor. Let the user log in with a way of the account and add one, or let the provider ask for one. */
  second_factor_missing: string
  /** No account has the email address. Ask the user whether to sign up. Then send the request again without `mayCreate`. */
  account_missing: string
  /** An account has the email address. Log in with the way that the account has, and then link the identity. */
  account_exists: string
  /** Email address is not verified. The user must verify the address, or choose a new password with a code. Then send the request again. */
  email_not_verified: string
  /** Email address is not proven. Request a mail with `requestLoginCode`, and send the request again with its `login` and its digits as `mail`. */
  email_not_proven: string
  /** Confirmation is required. Call `stepUp`, and send its `confirmation.value` as `confirmation`. */
  step_up_required: string
  /** Own login is required. Single sign-on of a tenant opens only that tenant. Let the user log in with a way of the account, such as its password. */
  own_login_required: string
  /** Identity belongs to another user. Log in with the identity, or use another one. */
  identity_taken: string
  /** Connection not found. Use a `name` that `listConnections` returns. */
  connection_not_found: string
  /** Identity provider is unavailable. Wait for the number of seconds in `Retry-After`, then send the request again, or log in another way. */
  provider_unavailable: string
  /** No session can be opened with this token. Log in again, and open the session within 120 seconds. Each login can open one session. */
  session_not_opened: string
  /** Session has ended. Log in again. The refresh token is unknown, was used and so was its successor, or its session was ended or has expired. */
  session_ended: string
  /** Token belongs to no session. Open a session after the next login, or end all sessions. */
  session_required: string
  /** Recent login is required. A user without a password confirms a change by a login. Log in again, and send the request within 10 minutes. */
  recent_login_required: string
  /** Email address was changed recently. Undo the change with the code in the mail to the former address, or delete the account after the time in `detail`. The operator can delete it earlier. */
  email_recently_changed: string
  /** Tenant needs an owner. Make another member owner first. The only member can invite an owner, or delete the tenant. `tenants` lists the tenants. */
  last_owner: string
  /** User has an identity of the connection. Remove that identity first. A user can have one of each connection. */
  already_linked: string
  /** Identity not found. Check the id of the identity. Users find only their own. */
  identity_not_found: string
  /** User would have no way to log in. Set a password, link another identity or add a passkey first. */
  last_login_method: string
  /** Challenge is invalid. The challenge is unknown or expired, or the account has changed. Start again. */
  challenge_invalid: string
  /** User has too many second factors of this kind. Remove one first. A user can have two authenticator apps and ten passkeys. */
  factors_full: string
  /** Second factor not found. Check the id of the factor. Users find only their own. */
  factor_not_found: string
  /** A second factor is needed. Add a factor first. If the app requires a second factor, the last one cannot be removed or turned off. */
  factor_needed: string
  /** Passkey is not accepted. Begin again. The passkey must be one of the domain of the app, must verify its user, and answers a challenge once. `detail` says which check has failed. */
  passkey_invalid: string
  /** Passkey belongs to no account. Ask the user to log in another way. Tell the authenticator with `PublicKeyCredential.signalUnknownCredential`, so that it no longer offers the passkey. */
  passkey_unknown: string
  /** Too many mails. No mail was sent now. Use the mail that was sent before, or request another one after the number of seconds in `Retry-After`. */
  too_many_mails: string
  /** User has created too many tenants. Delete a tenant that the user has created. A user can have 100 of them. */
  tenants_full: string
  /** Tenant not found. Check the id of the tenant. Users find only the tenants of which they are members. */
  tenant_not_found: string
  /** Role is not sufficient. Ask a member with the role that `detail` names. */
  role_insufficient: string
  /** Too many tenant changes. Wait for the number of seconds in `Retry-After` before the next change. */
  too_many_changes: string
  /** User is not a member of the tenant. Check both ids, or add the user to the tenant. */
  member_not_found: string
  /** Address belongs to a member of the tenant. Change the role of the member instead. */
  already_member: string
  /** Tenant has too many pending invitations. Revoke an invitation, or wait until one is accepted or expires. */
  invitations_full: string
  /** Too many invitations. Wait for the number of seconds in `Retry-After` before the next invitation. */
  too_many_invitations: string
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
  /** Single sign-on needs this connection. Add another connection first, or stop requiring single sign-on. */
  connection_needed: string
  /** Domain not found. Add the domain to the tenant first. */
  domain_not_found: string
  /** Domain is not proven. Add the record to DNS, wait until it is published, and check again. `detail` says what was found. */
  domain_unproven: string
  /** Domain belongs to another tenant. Remove the record of the other tenant from DNS, and check again after 24 hours. Or ask the operator to move the domain. */
  domain_taken: string
  /** There was no response from Usher. `cause` has the reason. Try again later. */
  no_answer: string
}

/** Every `error.code` of every operation. */
export type ErrorCode = keyof ErrorMessages
