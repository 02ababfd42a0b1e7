import type { Client } from '../../client.js'
import type { Operations } from '../../endpoints.js'
import type { ExternalLogin } from '../../external.js'
import type { LoginByMail } from '../../login-by-mail.js'
import type { Passkeys } from '../../passkeys.js'
import type { ConnectionInfo, Features, LoginRoute } from '../../schemas.js'
import type { Outcome, Screen, Values } from '../view.js'

/** The screens of a login that have a name to go to. */
export type ScreenName =
  | 'log-in'
  | 'password'
  | 'single-sign-on'
  | 'sign-up'
  | 'forgot-password'
  | 'mail-login'
  | 'mail-sent'
  | 'prove-email'
  | 'login'
  | 'reset-password'
  | 'verify-email'
  | 'change-email'
  | 'undo-email-change'
  | 'invitation'
  | 'enrol'
  | 'enrol-totp'
  | 'recovery-codes'
  | 'choose-tenant'
  | 'create-tenant'
  | 'expired-link'
  | 'closed'
  | 'unavailable'
  | 'signed-in'

/** A field that an app adds to its sign-up. */
export interface SignUpField {
  /** Its name in `values`. */
  name: string
  label: string
  type?: 'text' | 'email' | undefined
  required?: boolean | undefined
  /** What to choose from. */
  options?: readonly { value: string; label: string }[] | undefined
}

/** A form that is about to be sent. */
export interface SubmitDetail {
  screen: string
  values: Values
}

/** What the app says of a form: texts by the names of the fields, and that of the whole form by ''. Empty if it only refuses. */
export type FieldTexts = Readonly<Record<string, string>>

/** Options of a login. */
export interface SignInOptions {
  /** The first screen. By default that of the link in the address, or `log-in`. */
  screen?: ScreenName | undefined
  /** The part of the address after `#`, by which mails and providers lead here. By default that of the page. */
  link?: string | undefined
  /** The last part of the path of the address. By default that of the page. */
  page?: string | undefined
  /** What is not offered: `sign-up`, `passkeys`, `mail-login`, `providers`. */
  hide?: readonly string[] | undefined
  /** Lets the user choose or create a tenant. */
  tenant?: 'choose' | undefined
  signUpFields?: readonly SignUpField[] | undefined
  /** Called before a sign-up is sent. May store the values of `signUpFields`, or return what is wrong with them. */
  onSubmit?: ((detail: SubmitDetail) => Promise<FieldTexts | undefined>) | undefined
  /** Called when the user is logged in, and has done what follows. */
  onSignedIn?: (() => void) | undefined
  /** Called with the ID of the tenant that the user has chosen. */
  onTenant?: ((tenantId: string) => void) | undefined
}

/** What the screens of a login share. */
export interface SignIn {
  readonly client: Client
  readonly usher: Operations
  readonly options: SignInOptions
  readonly external: ExternalLogin
  readonly byMail: LoginByMail
  readonly passkeys: Passkeys
  features: Features
  connections: readonly ConnectionInfo[]
  /** The address that was typed last. */
  email: string
  /** The single sign-on of the domain of the address. */
  route: LoginRoute['connection'] | undefined
  /** The code of the link. */
  code: string
  /** What a mail was sent for. */
  mail: 'login' | 'prove' | 'reset'
  /** The code of the invitation that the user is accepting. */
  invitation: string | undefined
  /** The screen that needs a login first. */
  next: ScreenName | undefined
  /** Proves the first step of a login that needs a second factor. */
  challenge: string
  /** The authenticator app that is being added. */
  totp: { challenge: string; secret: string; uri: string } | undefined
  recoveryCodes: readonly string[]
  /** The tenants to choose from. */
  memberships: readonly { id: string; name: string }[]
  /** The screen whose link is no longer valid. */
  expired: string
  /** Returns a screen. */
  to(name: ScreenName): Promise<Outcome>
  /** Goes on after a login. */
  signedIn(): Promise<Outcome>
}

/** Makes a screen of a login, or loads what makes it. */
export type Draw = (signIn: SignIn) => Screen | Promise<Screen>
