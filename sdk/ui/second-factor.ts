import { getPasskey } from '../ceremony.js'
import type { SecondFactorProof } from '../schemas.js'
import type { SecondFactorPrompt } from '../second-factor.js'
import { action, submit } from './actions.js'
import { type Action, line, type Outcome, type Screen, type Values } from './view.js'

/** The ways to prove the second factor that have a field. */
const typed = {
  totp: { hint: 'totpHint', use: 'useTotp', label: 'totp', type: 'code', autocomplete: 'one-time-code' },
  recoveryCode: {
    hint: 'recoveryHint',
    use: 'useRecoveryCode',
    label: 'code',
    type: 'text',
    autocomplete: 'off',
  },
} as const
type Typed = keyof typeof typed

/**
 * Returns the screen that asks for a second factor.
 *
 * @param settle takes the proof, or undefined if the user cancels. Returns what follows in the same flow, if anything does
 * @param leave what cancels: a login ends, and a user who is logged in goes back
 */
export function secondFactor(
  { methods, options }: SecondFactorPrompt,
  settle: (proof?: SecondFactorProof) => Outcome | undefined | Promise<Outcome | undefined>,
  leave: 'otherAccount' | 'back',
): Screen {
  const ways = methods.filter((each): each is Typed => each in typed)

  const usePasskey: readonly Action[] = options
    ? [
        action('usePasskey', 'provider', async () => {
          const { data: passkey, error } = await getPasskey(options)
          return error ? { error } : settle({ passkey })
        }),
      ]
    : []
  const cancel = action(leave, 'link', () => settle())

  function ask(way: Typed | undefined): Screen {
    const screen = { name: 'second-factor', title: line('secondFactor') }
    if (!way) return { ...screen, actions: [...usePasskey, cancel] }
    const { hint, label, type, autocomplete } = typed[way]
    return {
      ...screen,
      lines: [line(hint)],
      fields: [{ name: way, label: line(label), type, autocomplete }],
      actions: [
        ...usePasskey,
        submit('verify', (values: Values) => settle({ [way]: values[way] ?? '' })),
        ...ways
          .filter((each) => each !== way)
          .map((each) => action(typed[each].use, 'link', () => ({ screen: ask(each) }))),
        cancel,
      ],
    }
  }

  return ask(ways[0])
}
