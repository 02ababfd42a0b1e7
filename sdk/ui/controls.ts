import { create, type Look, nodesOf, part } from './dom.js'
import { textOf } from './text.js'
import { type Action, type Field, line, type Shown } from './view.js'

let count = 0

/** Returns an ID that no other part of the page has. */
export const newId = () => `usher-${++count}`

/** A field as it is shown. */
export interface ShownField {
  node: HTMLElement
  input: HTMLInputElement | HTMLSelectElement
  /** Shows what is wrong with the value, or nothing. */
  fail(error: Shown | undefined): void
}

/** Returns a field with its label, hint and place for an error. */
export function fieldOf(field: Field, look: Look): ShownField {
  const id = newId()
  const error = create('p', { ...part('error', look), id: `${id}-error` })
  const hint =
    field.hint && create('p', { ...part('hint', look), id: `${id}-hint` }, ...nodesOf(field.hint, look))
  const input = inputOf(field, id, look)
  const described = [hint?.id, error.id].filter(Boolean).join(' ')
  input.setAttribute('aria-describedby', described)
  const optional = field.isOptional && create('small', {}, ' ', ...nodesOf(line('optional'), look))
  const node = create(
    'div',
    { ...part('field', look), 'data-name': field.name },
    create('label', { ...part('label', look), for: id }, ...nodesOf(field.label, look), optional),
    field.type === 'password' ? withReveal(input as HTMLInputElement, look) : input,
    hint,
    error,
  )
  return {
    node,
    input,
    fail(shown) {
      error.replaceChildren(...nodesOf(shown, look))
      if (shown) input.setAttribute('aria-invalid', 'true')
      else input.removeAttribute('aria-invalid')
    },
  }
}

function inputOf(
  { name, label, type, autocomplete, value, object, isOptional, isReadonly, options }: Field,
  id: string,
  look: Look,
) {
  const common = {
    ...part('input', look),
    ...{ id, name, autocomplete },
    required: !isOptional && !isReadonly,
    'aria-label': object === undefined ? undefined : `${textOf(label, look)} ${object}`,
  }
  if (options)
    return create(
      'select',
      common,
      ...options.map((each) =>
        create('option', { value: each.value, selected: each.value === value }, textOf(each.label, look)),
      ),
    )
  return create('input', {
    ...common,
    type: type === 'code' ? 'text' : type,
    inputmode: type === 'code' ? 'numeric' : undefined,
    value,
    readonly: isReadonly,
    // Addresses and codes are never prose.
    ...(type === 'text' ? { dir: 'auto' } : { autocapitalize: 'none', spellcheck: 'false', dir: 'ltr' }),
  })
}

const eye = 'M2 12q10-14 20 0-10 14-20 0M9 12a3 3 0 1 1 0 .1z'

/** Returns a password with a button that shows it. */
function withReveal(input: HTMLInputElement, look: Look) {
  const path = create('path', { fill: 'none', stroke: 'currentColor', 'stroke-width': '2' })
  const button = create(
    'button',
    { ...part('reveal', look), type: 'button', 'aria-label': textOf(line('showPassword'), look) },
    create('svg', { viewBox: '0 0 24 24', width: '24' }, path),
  )
  const show = (isShown: boolean) => {
    input.type = isShown ? 'text' : 'password'
    // Crossed out while the password is shown.
    path.setAttribute('d', isShown ? `${eye}M4 21 20 3` : eye)
    button.setAttribute('aria-pressed', String(isShown))
  }
  button.addEventListener('click', () => show(input.type === 'password'))
  show(false)
  return create('div', part('control', look), input, button)
}

/** Returns a button. */
export function buttonOf({ id, label, kind, object, mark }: Action, look: Look) {
  const text = textOf(label, look)
  const button = create(
    'button',
    {
      ...part(kind, look),
      type: kind === 'submit' ? 'submit' : 'button',
      'data-action': id,
      'aria-label': object === undefined ? undefined : `${text} ${object}`,
    },
    ...nodesOf(label, look),
  )
  // Only pages with providers load them. Without its mark, a button has its text.
  if (mark)
    import('./marks.js').then(
      ({ addMark }) => addMark(button, mark),
      () => {},
    )
  return button
}
