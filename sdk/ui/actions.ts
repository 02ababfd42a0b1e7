import type { Result } from '../result.js'
import type { TextKey } from './texts/en.js'
import { type Action, type Field, type Line, line, type Outcome, type Screen } from './view.js'

/** Returns an action whose text has the same name. */
export const action = (id: TextKey, kind: Action['kind'], run: Action['run']): Action => ({
  id,
  label: line(id),
  kind,
  run,
})

/** Returns the action that sends a form. */
export const submit = (id: TextKey, run: Action['run']) => action(id, 'submit', run)

/** Returns a screen that says that the service does not work now, and why, unless the title says it. */
export const unavailableScreen = (name: string, why: Line, tryAgain: Action['run']): Screen => ({
  name,
  title: line('unavailableTitle'),
  lines: why.key === 'unavailable' ? [] : [why],
  actions: [submit('tryAgain', tryAgain)],
})

/** Returns the outcome of a result: its error, or what follows from its data. */
export async function outcomeOf<Data>(
  running: Result<Data, string> | Promise<Result<Data, string>>,
  next: (data: Data) => Outcome | Promise<Outcome | undefined> | undefined,
): Promise<Outcome | undefined> {
  const result = await running
  return result.error ? { error: result.error } : next(result.data)
}

/** Returns the field of an email address. */
export const emailField = (autocomplete: string, value?: string): Field => ({
  name: 'email',
  label: line('email'),
  type: 'email',
  autocomplete,
  value,
})

/** Returns the field of a new password. @param min its minimum length in characters */
export const newPasswordField = (name: 'password' | 'newPassword', min: number): Field => ({
  name,
  label: line(name),
  type: 'password',
  autocomplete: 'new-password',
  hint: line('passwordHint', { count: min }),
})

/** Returns the field of the current password. */
export const passwordField = (isOptional = false): Field => ({
  name: 'password',
  label: line('password'),
  type: 'password',
  autocomplete: 'current-password',
  isOptional,
})

/** Returns the readonly field that tells password managers whose password a form has. */
export const accountField = (email: string): Field => ({
  ...emailField('username', email),
  name: 'account',
  isReadonly: true,
})

/** Returns the field of the digits of a mail. */
export const digitsField: Field = {
  name: 'digits',
  label: line('digits'),
  type: 'code',
  autocomplete: 'one-time-code',
}
