import { type Language, piecesOf } from './text.js'
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
  | 'progress'
  | 'submit'
  | 'secondary'
  | 'danger'
  | 'link'
  | 'provider'
  | 'divider'
  | 'list'
  | 'item'
  | 'details'
  | 'table'
  | 'cell'
  | 'search'
  | 'qr'
  | 'secret'
  | 'codes'
  | 'menu'
  | 'avatar'
  | 'dialog'

/** Classes that an app adds to parts. */
export type Classes = Readonly<Partial<Record<Part, string>>>

/** How an element shows texts. */
export interface Look extends Language {
  classes: Classes
}

/** Elements of HTML, and those of pictures. */
type Nodes = HTMLElementTagNameMap & Pick<SVGElementTagNameMap, 'svg' | 'path'>

/** Returns an element. Attributes that are undefined or false are left out. */
export function create<Name extends keyof Nodes>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: Child[]
): Nodes[Name] {
  const space = /^(svg|path)$/.test(name) ? '2000/svg' : '1999/xhtml'
  const node = document.createElementNS(`http://www.w3.org/${space}`, name) as Nodes[Name]
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value)
  node.append(...(children.filter(Boolean) as (Node | string)[]))
  return node
}

/** Returns a selector of what has the focus in a node: '' if nothing selects it, undefined if the focus is elsewhere. */
export function focusIn(node: Element) {
  const { activeElement: active } = document
  if (!active || !node.contains(active)) return undefined
  const { name, dataset } = active as HTMLInputElement
  return dataset.action
    ? `[data-action="${CSS.escape(dataset.action)}"]`
    : name
      ? `[name="${CSS.escape(name)}"]`
      : ''
}

/** Returns the attributes of a part. */
export const part = (name: Part, { classes }: Look) => ({ 'data-part': name, class: classes[name] })

/** Returns a text, or nothing. What replaces a name in braces is isolated, because it may have another direction. */
export const nodesOf = (shown: Shown | undefined, look: Look): (Node | string)[] =>
  !shown
    ? []
    : 'text' in shown
      ? [create('bdi', {}, shown.text)]
      : piecesOf(shown, look).map(({ text, isGiven }) => (isGiven ? create('bdi', {}, text) : text))

/** Returns whether a language is written from right to left. */
export const directionOf = (language: string) => (/^(ar|fa|he|ur)\b/.test(language) ? 'rtl' : 'ltr')
