import type { InvitationDetails } from '../../schemas.js'
import { action, outcomeOf, submit, unavailableScreen } from '../actions.js'
import { messageOf } from '../messages.js'
import { roleName } from '../role.js'
import { line, type Screen } from '../view.js'
import { afterAddress, providersOf } from './log-in.js'
import type { SignIn } from './sign-in.js'
import { signUpAction, signUpFields } from './sign-up.js'

/** Shows an invitation, and accepts it: by a sign-up, or after a login. */
export const invitation = (signIn: SignIn): Screen => ({
  name: 'invitation',
  title: line('busy'),
  actions: [],
  isWaiting: true,
  async start() {
    signIn.invitation = signIn.code
    const { data, error } = await signIn.usher.readInvitation({ code: signIn.code })
    if (data) return { screen: (signIn.client.token ? acceptance : signUpByInvitation)(signIn, data) }
    if (error.code === 'code_invalid') return { error }
    return {
      screen: unavailableScreen('unavailable', messageOf(error), () => signIn.to('invitation')),
    }
  },
})

/** Returns who invites to what. */
const textsOf = ({ tenantName, inviterName, role }: InvitationDetails) => ({
  name: 'invitation',
  title: line('join', { name: tenantName }),
  lines: [
    inviterName === null
      ? line('invitedAs', { role: roleName(role) })
      : line('invitedBy', { name: inviterName, role: roleName(role) }),
  ],
})

/** Signs up with the invited address. */
const signUpByInvitation = (signIn: SignIn, invited: InvitationDetails): Screen => ({
  ...textsOf(invited),
  fields: signUpFields(signIn, invited.email),
  actions: [
    { ...signUpAction(signIn), label: line('join', { name: invited.tenantName }) },
    ...providersOf(signIn),
    action('hasAccount', 'link', () => {
      signIn.email = invited.email
      return afterAddress(signIn)
    }),
  ],
})

/** Accepts with the account that is logged in. */
function acceptance(signIn: SignIn, invited: InvitationDetails): Screen {
  const { lines, ...texts } = textsOf(invited)
  return {
    ...texts,
    lines: [...lines, line('invitedAddress', { email: invited.email })],
    actions: [
      submit('accept', () =>
        outcomeOf(signIn.usher.acceptInvitation({ code: signIn.code }), ({ tenantId }) => {
          signIn.invitation = undefined
          signIn.options.onTenant?.(tenantId)
          return signIn.signedIn()
        }),
      ),
      action('otherAccount', 'link', async () => {
        await signIn.client.signOut()
        signIn.email = invited.email
        return signIn.to('log-in')
      }),
      action('next', 'link', () => {
        signIn.invitation = undefined
        return signIn.signedIn()
      }),
    ],
  }
}
