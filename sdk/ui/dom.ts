import type { Texts } from './texts/en.js'
import type { Shown } from './view.js'

type Child = Node | string | undefined | false

/** Names of the parts of an element, which themes use. They follow semantic versioning. */
export type Part =
  | 'root'
  | 'form'
  | 'title'
  | 'text'
  | 'field'
  | 'label'
  | 'control'
  | 'input'
  | 'reveal'
  | 'hint'
  | 'error'
  | 'alert'
  | 'status'
  | 'submit'
  | 'secondary'
  | 'danger'
  | 'link'
  | 'provider'
  | 'divider'
  | 'list'
  | 'item'
  | 'details'
  | 'qr'
  | 'secret'
  | 'codes'
  | 'menu'

/** Classes that an app adds to parts. */
export type Classes = Readonly<Partial<Record<Part, string>>>

/** How an element shows texts. */
export interface Look {
  /** BCP 47 tag of the language of the texts. */
  language: string
  texts: Texts
  classes: Classes
}

/** Returns an element. Attributes that are undefined or false are left out. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value)
  node.append(...children.filter((child): child is Node | string => child !== undefined && child !== false))
  return node
}

/** Returns the attributes of a part. */
export const part = (name: Part, { classes }: Look) => ({ 'data-part': name, class: classes[name] })

/** Returns a text. What replaces a name in braces is isolated, because it may have another direction. */
export function nodesOf(shown: Shown, look: Look): (Node | string)[] {
  if ('text' in shown) return [create('bdi', {}, shown.text)]
  const { values = {} } = shown
  return templateOf(shown, look)
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 ? create('bdi', {}, formatted(values[piece], look)) : piece))
}

/** Returns a text without marks, for attributes. */
export const plainOf = (shown: Shown, look: Look) =>
  'text' in shown
    ? shown.text
    : templateOf(shown, look).replace(/\{(\w+)\}/g, (_, name: string) =>
        formatted(shown.values?.[name], look),
      )

function formatted(value: string | number | Date | undefined, { language }: Look) {
  if (value instanceof Date) return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(value)
  return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : (value ?? '')
}

function templateOf({ key, values }: Exclude<Shown, { text: string }>, { texts, language }: Look) {
  const text = texts[key]
  if (typeof text === 'string') return text
  const form = new Intl.PluralRules(language).select(Number(values?.count))
  return text[form] ?? text.other
}

/** Returns whether a language is written from right to left. */
export const directionOf = (language: string) => (/^(ar|fa|he|ur)\b/.test(language) ? 'rtl' : 'ltr')
