import { SecondFactor } from '../../store/generated/enums.js'
import { choice, setting, wholeNumber } from './setting.js'

/** What logins need besides a password. */
export const secondFactorSettings = {
  /** Whether users have second factors. `required`: each must have one, and adds it when it logs in. */
  secondFactor: setting({
    ...choice(SecondFactor),
    default: 'optional',
    placeholder: '<rule>',
    description: 'whether users have second factors (optional), and must have one (required)',
    label: 'second factor',
  }),
  /** Seconds after the sign-up, and after the second factor became required, for which users may log in without one. */
  secondFactorGrace: setting({
    ...wholeNumber(0, 31_536_000),
    default: 0,
    placeholder: '<seconds>',
    description: 'time after sign-up in which a required second factor may be missing, 0 to 31536000',
    label: 'time to add one',
    show: (seconds) => `${seconds} s`,
  }),
}
