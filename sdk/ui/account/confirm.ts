import { type Client, endpoints } from '../../client.js'
import type { Endpoint } from '../../endpoint.js'
import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { Result } from '../../result.js'
import { failedReturn } from '../../returned-logins.js'
import type { BegunStepUp, ErrorCode, StepUpBody } from '../../schemas.js'
import { accountField, outcomeOf, passwordField, submit } from '../actions.js'
import { secondFactor } from '../second-factor.js'
import { line, type Outcome, type Screen } from '../view.js'
import type { Account } from './section.js'

type Operation = (...given: unknown[]) => Promise<Result<{ confirmation?: { value: string } }, ErrorCode>>

const lacksProof = ({ code, errors }: UsherError<string>) =>
  code === 'step_up_required' || errors.some(({ path }) => path === 'password')

/**
 * Returns the operations of a client. One that needs a confirmation asks who the user is, and is sent again. The confirmation then
 * counts for later ones, until the server no longer accepts it.
 *
 * @param ask returns a confirmation, or undefined if the user has cancelled
 */
export function confirming(
  client: Client,
  ask: () => Promise<Result<string | undefined, ErrorCode>>,
): Operations {
  let confirmation: string | undefined
  const operations = Object.entries<Endpoint>(endpoints).map(([name, { path, codes }]) => {
    const operation = client[name as keyof Operations] as Operation
    if (!codes.includes('step_up_required')) return [name, operation]
    // The body follows the ids of the path.
    const place = path.split('{').length - 1
    const confirmed: Operation = async (...given) => {
      for (;;) {
        const body = { ...(given[place] as object), ...(confirmation && { confirmation }) }
        const result = await operation(...given.slice(0, place), body, ...given.slice(place + 1))
        confirmation = result.data?.confirmation?.value ?? confirmation
        if (!result.error || !lacksProof(result.error)) return result
        const asked = await ask()
        if (asked.error) return asked
        if (!asked.data) return failedReturn('access_denied') as never
        confirmation = asked.data
      }
    }
    return [name, confirmed]
  })
  return Object.fromEntries(operations)
}

/** Asks who the user is, in a dialog: for the password of a user who has one, and then for a second factor of a user who has one. */
export async function askWhoItIs(account: Account): Promise<Result<string | undefined, ErrorCode>> {
  const { client, features, user } = account
  const [listed, begun] = await Promise.all([client.listFactors(), client.beginStepUp()])
  if (listed.error) return listed
  if (begun.error) return begun
  const hasFactor = features.secondFactor !== 'off' && begun.data.methods.length > 0
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

  await account.dialog(listed.data.hasPassword ? password : factor(begun.data))
  return { data: confirmation, error: undefined }
}
