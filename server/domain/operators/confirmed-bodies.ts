import type { SettingName } from '../databases/settings.js'
import { keyActivationSeconds } from '../management/keys/key-rotation.js'

/** The settings with which an operator could take over accounts, or send what belongs to users elsewhere. */
const confirmedSettings: readonly SettingName[] = [
  'appUrl',
  'loginRedirects',
  'passkeyDomain',
  'passkeyOrigins',
  'webhookUrl',
  'secondFactor',
  'secondFactorGrace',
  'claims',
]

/** Returns whether a change of a setting needs a confirmation. */
export const isConfirmed = (setting: string) => (confirmedSettings as readonly string[]).includes(setting)

type Body = Readonly<Record<string, unknown>>

/** Which bodies need a confirmation, if not each request of the operation does. */
const confirmedBodies: Readonly<Record<string, (body: Body) => boolean>> = {
  // An identity or a mail of that address logs in as the user.
  addUser: ({ emailVerified }) => emailVerified === true,
  // Without an undo, the owner of a former address cannot take an account back.
  changeUser: ({ email, emailVerified, emailUndo }) =>
    email !== undefined || emailVerified !== undefined || emailUndo === false,
  changeSettings: ({ settings }) => Object.keys(Object(settings)).some(isConfirmed),
  rotateKeys: ({ activateInSeconds = keyActivationSeconds }) =>
    Number(activateInSeconds) < keyActivationSeconds,
}

/** Returns whether an operation needs a confirmation because of its body. */
export const isConfirmedBody = (operation: string, body: object) =>
  confirmedBodies[operation]?.(body as Body) ?? false
