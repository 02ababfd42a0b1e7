import type { UsherError } from '../errors.js'
import type { Look } from './dom.js'
import type { RoleKey, TextKey } from './texts/en.js'

/** A text to show, with what replaces the names in braces. `count` chooses the plural. */
export interface Line {
  key: TextKey | RoleKey
  values?: Readonly<Record<string, string | number | Date | Line>>
  /** What is shown if no text has the key. */
  otherwise?: string
}

/** A text of the elements, or one of the app or the user, which is shown as it is. */
export type Shown = Line | { text: string }

/** Returns a line. */
export const line = (key: TextKey, values?: Line['values']): Line => ({ key, ...(values && { values }) })

/** What a form has sent, by the names of its fields. */
export type Values = Readonly<Record<string, string>>

/** A field of a form. */
export interface Field {
  name: string
  label: Shown
  type: 'text' | 'email' | 'password' | 'code'
  /** The token of the HTML standard, by which password managers fill the field. */
  autocomplete: string
  value?: string | undefined
  /** What the value is of, for screen readers, such as the name of the row. */
  object?: string
  isOptional?: boolean
  /** For password managers: the account of a new password. */
  isReadonly?: boolean
  hint?: Line
  /** The values of a list to choose from. */
  options?: readonly { value: string; label: Shown }[]
}

/** What an action has led to. `error` stays on the screen, and is shown on the new one if there is one. */
export interface Outcome {
  screen?: Screen | undefined
  error?: UsherError<string> | undefined
  /** What the app says of fields that it has added, by their names, and of the whole form by ''. */
  fieldErrors?: Readonly<Record<string, Shown>> | undefined
  status?: Line | undefined
  /** Whether a section stays as it is, and is not read again. */
  isSame?: boolean
}

/** A button. */
export interface Action {
  id: string
  label: Line
  /** `submit` sends the form. The others need no field. */
  kind: 'submit' | 'secondary' | 'danger' | 'link' | 'provider'
  /** What the button acts on, for screen readers. By default the title of the row. */
  object?: string
  /** Kind of the provider whose mark the button has, such as `google`. */
  mark?: string
  run(values: Values): Outcome | undefined | Promise<Outcome | undefined>
}

/** A row of a list. */
export interface Item {
  id: string
  /** Returns a picture. Only rows of the account have one. */
  picture?(look: Look): Node
  title: Shown
  details?: readonly Shown[]
  field?: Field
  actions?: readonly Action[]
}

/** What the content of a screen is drawn with. */
export interface Drawing {
  look: Look
  button(action: Action): HTMLButtonElement
  /** Runs an action with values in addition to those of the fields. */
  submit(id: string, values: Values): Promise<void>
}

/** A form as data: what an element shows, and what a page of your own can show. */
export interface Screen {
  name: string
  title: Shown
  /** Paragraphs below the title. */
  lines?: readonly Shown[]
  fields?: readonly Field[]
  actions: readonly Action[]
  items?: readonly Item[]
  /** What is below the form and no list, such as a table. */
  content?: { actions: readonly Action[]; draw(drawing: Drawing): Node }
  /** Name of the field that gets the focus, instead of the title. */
  focus?: string
  /** The content of a QR code, and the secret in it. */
  qr?: { content: string; secret: string }
  /** Recovery codes. */
  codes?: readonly string[]
  /** Runs while the screen is shown. The signal aborts when another one is. */
  start?(signal: AbortSignal): Promise<Outcome | undefined>
  /** Returns what follows a question that the user has cancelled, instead of the screen. */
  cancel?(): Promise<Outcome>
  /** Whether there is nothing to show. */
  isEmpty?: boolean
  /** Whether nothing can be done until `start` has ended. */
  isWaiting?: boolean
}

/** What is shown in addition to a screen. */
export interface Feedback {
  isBusy: boolean
  /** Of the whole form. */
  error: Shown | undefined
  /** By the name of the field. */
  fieldErrors: Readonly<Record<string, Shown>>
  /** What was done. */
  status: Line | undefined
  /** How far the work is that proves that no bot sends the form, from 0 to 1. Undefined while there is none. */
  progress: number | undefined
}
