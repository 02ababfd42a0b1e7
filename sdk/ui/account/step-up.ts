import type { Result } from '../../result.js'
import type { BegunStepUp, ErrorCode, StepUpBody } from '../../schemas.js'
import { failed } from '../../started-logins.js'
import { accountField, outcomeOf, passwordField, submit } from '../actions.js'
import { secondFactor } from '../second-factor.js'
import { line, type Outcome, type Screen } from '../view.js'
import { lacksProof } from './confirm.js'
import type { Account } from './section.js'

/** Asks who the user is, in a dialog: for the password of a user who has one, and then for a second factor of a user who has one. */
export async function askWhoItIs(
  account: Pick<Account, 'client' | 'features' | 'user' | 'dialog'>,
): Promise<Result<string | undefined, ErrorCode>> {
  const { client, features, user } = account
  const [listed, begun] = await Promise.all([client.listFactors(), client.beginStepUp()])
  if (listed.error) return listed
  if (begun.error) return begun
  const hasFactor = features.secondFactor !== 'off' && begun.data.methods.length > 0
  const { hasPassword } = listed.data
  if (!hasPassword && !hasFactor)
    return failed('recent_login_required', 'Nothing proves who the user is', 'Log out, and log in again.')
  let confirmation: string | undefined

  const prove = (body: StepUpBody) =>
    outcomeOf(client.stepUp(body), ({ confirmation: { value } }) => {
      confirmation = value
      return {}
    })

  const title = line('whoIsIt')
  const password: Screen = {
    name: 'confirm',
    title,
    fields: [accountField(user.email), passwordField()],
    actions: [
      submit(hasFactor ? 'next' : 'confirm', ({ password = '' }) =>
        hasFactor ? { screen: factor(begun.data, password) } : prove({ password }),
      ),
    ],
  }

  const factor = (prompt: BegunStepUp, given?: string) => {
    const settle: Parameters<typeof secondFactor>[1] = async (proof) => {
      const outcome = await prove({ ...proof, password: given })
      const error = outcome?.error
      if (error && lacksProof(error)) return { screen: password, error }
      if (error?.code !== 'second_factor_invalid') return outcome
      // A passkey answers a challenge once.
      const { data } = await client.beginStepUp()
      return { screen: factor(data ?? prompt, given), error }
    }
    return titled(secondFactor({ options: undefined, ...prompt, error: undefined }, settle, 'back'))
  }

  const titled = (screen: Screen): Screen => ({
    ...screen,
    title,
    actions: screen.actions.map((each) => ({
      ...each,
      async run(values) {
        const outcome: Outcome | undefined = await each.run(values)
        return outcome?.screen?.name === screen.name
          ? { ...outcome, screen: titled(outcome.screen) }
          : outcome
      },
    })),
  })

  await account.dialog(hasPassword ? password : factor(begun.data))
  return { data: confirmation, error: undefined }
}
