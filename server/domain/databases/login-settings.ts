import { LoginMail } from '../../store/generated/enums.js'
import { loginRedirects } from './login-redirects.js'
import { choice, setting } from './setting.js'

/** How users log in without a password. */
export const loginSettings = {
  /** What the mail of a login by mail has. Off: users log in with a password only. */
  loginMail: setting({
    ...choice(LoginMail),
    default: 'off',
    placeholder: '<kind>',
    description: 'login by a mail with six digits (code), a link or both; needs an app URL',
    label: 'login by mail',
  }),
  /** Where logins at a provider may return to. None: only to `/login` of the app. */
  loginRedirects: setting({
    schema: loginRedirects,
    default: [],
    placeholder: '<urls>',
    description: 'URLs to which logins at providers return, by commas, or "none" for /login of the app',
    words: { none: [] },
    read: (text) => text.split(',').map((each) => each.trim()),
    label: 'login redirects',
    show: (urls) => urls.join(', ') || '/login of the app',
  }),
}
