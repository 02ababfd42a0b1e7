import { setting, switched } from './setting.js'

const notice = (what: string, isDefault = true) => ({
  ...switched('on', 'off'),
  default: isDefault,
  description: `whether users get a mail ${what}`,
})

/** Names of the notices in the output of commands, by setting. */
const names = {
  noticePasswordChanged: 'password changed',
  noticeEmailChanged: 'address changed',
  noticeNewNetwork: 'new network',
  noticeSessionReused: 'session reused',
  noticeFactor: 'second factor',
  noticeSecondStep: 'failed second steps',
  noticeIdentity: 'identity',
  noticeAccountDeleted: 'account deleted',
}

/** Which mails without a code users get. A database without app URL sends none. */
export const noticeSettings = {
  /** Whether a user gets a mail after the password was changed or reset. */
  noticePasswordChanged: setting({
    ...notice('after the password was changed or reset'),
    label: 'notices',
    show: (_, all) =>
      Object.entries(names)
        .flatMap(([setting, name]) => (all[setting] ? name : []))
        .join(', ') || 'none',
  }),
  /** Whether a user gets a mail at the new address after the address was changed. The former address always gets one. */
  noticeEmailChanged: setting(notice('at the new address after the address was changed')),
  /** Whether a user gets a mail after a login from a network that is not known. */
  noticeNewNetwork: setting(notice('after a login from a new network', false)),
  /** Whether a user gets a mail after a session ended because a refresh token was used twice. */
  noticeSessionReused: setting(notice('after a session ended because a refresh token was used twice')),
  /** Whether a user gets a mail after a second factor was added or removed, or recovery codes were replaced. */
  noticeFactor: setting(notice('after a second factor was added or removed')),
  /** Whether a user gets a mail after the second step of a login has failed three and ten times in a row. */
  noticeSecondStep: setting(notice('after the second step of a login has failed three times in a row')),
  /** Whether a user gets a mail after an identity of a provider was linked or removed. */
  noticeIdentity: setting(notice('after an identity of a provider was linked or removed')),
  /** Whether a user gets a mail after the account was deleted. */
  noticeAccountDeleted: setting(notice('after the account was deleted')),
}
