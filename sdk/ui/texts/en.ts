import type { enAccount } from './en-account.js'
import type { enSso } from './sso-en.js'

/** A text. One with numbers has a form for each plural category of its language (`Intl.PluralRules`). */
export type Text =
  | string
  | ({ other: string } & Partial<Record<'zero' | 'one' | 'two' | 'few' | 'many', string>>)

/** The texts of `<usher-sign-in>` in English. Names in braces are replaced. */
export const en = {
  // Titles of screens.
  logIn: 'Log in',
  signUp: 'Sign up',
  forgotPassword: 'Forgot your password?',
  resetPassword: 'Choose a new password',
  mailLogin: 'Log in by mail',
  mailSent: 'Check your mail',
  verifyEmail: 'Verify your email address',
  changeEmail: 'Confirm your new email address',
  undoChange: 'Undo the change of your email address',
  secondFactor: 'Second step',
  enrol: 'Protect your account',
  enrolTotp: 'Add an authenticator app',
  recoveryCodes: 'Store your recovery codes',
  proveEmail: 'Prove your email address',
  join: 'Join {name}',
  chooseTenant: 'Choose a team',
  createTenant: 'Create a team',
  expiredLink: 'This link is no longer valid',
  closedTitle: 'Only invited people can sign up',
  unavailableTitle: 'This does not work now',
  loggedIn: 'You are logged in',
  // Fields.
  email: 'Email address',
  password: 'Password',
  newPassword: 'New password',
  preferredName: 'Name',
  totp: 'Code from your app',
  digits: 'Six digits from the mail',
  code: 'Recovery code',
  factorName: 'Name of the device',
  tenantName: 'Name of the team',
  owner: 'Owner',
  admin: 'Administrator',
  member: 'Member',
  // Buttons and links.
  logInAt: 'Continue with {title}',
  logInWithPasskey: 'Log in with a passkey',
  otherWays: 'Other ways',
  usePasskey: 'Use your passkey',
  useRecoveryCode: 'Use a recovery code',
  useTotp: 'Use your app',
  addPasskey: 'Add a passkey',
  sendMail: 'Send a mail',
  sendAgain: 'Send again',
  verify: 'Verify',
  confirm: 'Confirm',
  undo: 'Undo the change',
  next: 'Continue',
  back: 'Back',
  otherAccount: 'Use another account',
  accept: 'Accept the invitation',
  create: 'Create',
  copy: 'Copy',
  copied: 'Copied',
  print: 'Print',
  stored: 'I have stored them',
  savePassword: 'Save the password',
  choose: 'Choose',
  logOut: 'Log out',
  showPassword: 'Show password',
  openApp: 'Open the app on this device',
  tryAgain: 'Try again',
  // Hints.
  or: 'or',
  optional: 'optional',
  qrLabel: 'QR code for your authenticator app',
  required: 'This is required.',
  passwordHint: { one: 'At least one character', other: 'At least {count} characters' },
  linkHint: 'Open the link in the mail to {email} in this browser.',
  digitsHint: 'Type the digits from the mail to {email}, or open its link in this browser.',
  resetHint: 'If {email} has an account, a mail with a link is on its way.',
  verifyHint: 'Your address is verified with one click.',
  changeHint: 'Your account will use the new address. You will be logged out elsewhere.',
  undoHint: 'Your account will use the former address again. Everyone will be logged out of it.',
  totpHint: 'Open your authenticator app, and type the code that it shows.',
  recoveryHint: 'Each of the codes that you have stored works once.',
  enrolHint: 'Your account needs a second factor. Choose one.',
  qrHint:
    'Scan this code with your authenticator app, or type the secret. Then type the code that the app shows.',
  secret: 'Secret',
  codesHint: 'Each code logs in once if you lose your device. They are not shown again.',
  proveHint: 'A mail proves that the address is yours. Then you are logged in.',
  invitedBy: '{name} has invited you. Your role: {role}',
  invitedAs: 'You are invited. Your role: {role}',
  invitedAddress: 'The invitation is for {email}.',
  invitedHint: 'Log in or sign up to accept the invitation.',
  expiredHint: 'It was used before, or has expired. Request a new one.',
  expiredInvitation: 'It was used before, or has expired. Ask the person who has invited you for a new one.',
  verified: 'Your address is verified.',
  changed: 'Your address was changed. Log in with the new one.',
  undone: 'Your former address is used again. You get a mail to choose a new password.',
  sentAgain: 'A mail is on its way.',
  logInFirst: 'Log in first.',
  loggedInHint: 'The login goes on in the other window. Close this one.',
  closedHint: 'New accounts are made by invitation only.',
  hasAccount: 'I have an account',
  noAccount: 'Create an account',
  busy: 'One moment',
  // Errors.
  credentialsWrong: 'Email or password is wrong.',
  passwordWrong: 'The password is wrong.',
  codeWrong: 'The code is wrong or no longer valid. Try again.',
  emailTaken: 'This address has an account. Log in instead.',
  emailInvalid: 'This is not an email address.',
  tooShort: { one: 'Type at least one character.', other: 'Type at least {count} characters.' },
  tooLong: { one: 'Type at most one character.', other: 'Type at most {count} characters.' },
  invalid: 'This is not valid.',
  passwordCommon: 'This password is too common.',
  passwordIsEmail: 'The password must not be your email address.',
  passkeyFailed: 'The passkey was not accepted. Try again, or log in another way.',
  passkeyUnknown: 'This passkey belongs to no account. Log in another way.',
  passkeyCancelled: 'The passkey was not used.',
  passkeyExists: 'This device already has a passkey of your account.',
  passkeysUnsupported: 'This browser or page cannot use passkeys.',
  expired: 'This has taken too long. Start again.',
  sessionEnded: 'You are logged out. Log in again.',
  recentLogin: 'Log out, log in again, and try it within ten minutes.',
  stepUp: 'Prove first that it is you.',
  waitSeconds: {
    one: 'Too many attempts. Wait one second.',
    other: 'Too many attempts. Wait {count} seconds.',
  },
  waitMinutes: {
    one: 'Too many attempts. Wait a minute.',
    other: 'Too many attempts. Wait {count} minutes.',
  },
  closed: 'Nobody can sign up now.',
  disabled: 'This account is disabled. Ask the operator of this app.',
  otherAddress: 'The invitation is for another address. Log in with that.',
  notVerified: 'Verify your address first.',
  seatsFull: 'The team has no free seat. Ask an owner of it.',
  accountExists:
    'This address has an account. Log in the way you did before, and connect it in your account. For a team, ask an owner of it.',
  notInvited: 'You are not a member of this team. Ask an owner of it to invite you.',
  membershipEnded: 'You are no longer a member of this team. Ask an owner of it to invite you again.',
  factorMissing:
    'This team asks for a second factor, and your account has none. Log in another way, add one, and come back.',
  ownLogin:
    'You are logged in to one team only. To change your account, log out, and log in to it another way.',
  elsewhere: 'This was started in another browser. Start again here.',
  cancelled: 'You have cancelled.',
  popupBlocked: 'The browser has blocked the window. Try again.',
  providerFailed: 'This way to log in does not work now. Try again, or choose another one.',
  identityTaken: 'This account is connected to another user.',
  lastWay: 'You could not log in any more. Add another way first.',
  factorNeeded: 'A second factor is needed. Add one first.',
  full: 'There are too many. Remove one first.',
  gone: 'It is not there any more.',
  ownerNeeded: 'A team needs an owner. Make another member owner first.',
  roleMissing: 'Your role does not allow this.',
  alreadyMember: 'A member of the team has this address.',
  emailChanged: 'Your address was changed recently. Wait a while.',
  unavailable: 'This does not work now. Try again later.',
  noAnswer: 'There is no connection. Try again.',
} satisfies Record<string, Text>

/** The name of a text. */
export type TextKey = keyof typeof en | keyof typeof enAccount | SsoTextKey
/** The name of a text of `<usher-sso-setup>`, which loads its texts itself. */
export type SsoTextKey = keyof typeof enSso
/** The name of the text of a role that the database has added, such as `role_billing`. */
export type RoleKey = `role_${string}`
/** The texts of a language. One without a text does not compile, except those of added roles. */
export type Texts = Readonly<
  Record<Exclude<TextKey, SsoTextKey>, Text> & { [key in SsoTextKey]?: Text } & { [key: RoleKey]: Text }
>
/** The texts of `<usher-sso-setup>` in a language. */
export type SsoTexts = Readonly<Record<SsoTextKey, Text>>
