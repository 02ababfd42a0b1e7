import { buttonOf } from '../controls.js'
import { create, nodesOf, part } from '../dom.js'
import { roleName } from '../role.js'
import { textOf } from '../text.js'
import { type Action, type Drawing, line, type Shown } from '../view.js'

/** A member, or an invitation. */
export interface Row {
  id: string
  name: string
  details: readonly Shown[]
  /** Returns the role, as it was saved last. */
  roleOf(): string
  /** The roles to choose from. */
  roles: readonly { name: string }[]
  /** Changes the role to the value `newRole`. Undefined: the user may not. */
  change?: Action
  /** Undefined for an invitation. */
  joinedAt?: Date
  actions: readonly Action[]
}

interface Table {
  rows: readonly Row[]
  pager: readonly Action[]
  search: string
  /** Searches for the value `search`. Undefined: there are few members. */
  find: Action | undefined
}

const columns = ['preferredName', 'role', 'joined', 'actions'] as const

/** Draws a table of members. Its roles are written out, because rows of a narrow page are no longer those of a table for browsers. */
export function memberTable({ rows, pager, search, find }: Table, drawing: Drawing) {
  const { look, button } = drawing
  const head = columns.map((key) =>
    create('th', { role: 'columnheader', scope: 'col' }, ...nodesOf(line(key), look)),
  )
  return create(
    'div',
    part('table', look),
    find && searchOf(find, search, drawing),
    rows.length > 0
      ? create(
          'table',
          { role: 'table', 'aria-label': textOf(line('members'), look) },
          create('thead', { role: 'rowgroup' }, create('tr', { role: 'row' }, ...head)),
          create('tbody', { role: 'rowgroup' }, ...rows.map((row) => rowOf(row, drawing))),
        )
      : create('p', part('text', look), ...nodesOf(line('noMembers'), look)),
    ...pager.map(button),
  )
}

function rowOf(row: Row, drawing: Drawing) {
  const { look, button } = drawing
  const [, role, joined, actions] = columns
  const cell = (key: (typeof columns)[number], ...children: (Node | string | undefined)[]) =>
    create(
      'td',
      { ...part('cell', look), role: 'cell', 'data-label': textOf(line(key), look) },
      create('div', {}, ...children),
    )
  return create(
    'tr',
    { role: 'row', 'data-id': row.id },
    create(
      'th',
      { ...part('cell', look), role: 'rowheader', scope: 'row' },
      create('bdi', {}, row.name),
      ...row.details.map((each) => create('p', part('details', look), ...nodesOf(each, look))),
    ),
    cell(
      role,
      ...(row.change ? [roleSelect(row, row.change, drawing)] : nodesOf(roleName(row.roleOf()), look)),
    ),
    row.joinedAt
      ? cell(joined, new Intl.DateTimeFormat(look.language, { dateStyle: 'medium' }).format(row.joinedAt))
      : create('td', { role: 'cell' }),
    cell(actions, ...row.actions.map(button)),
  )
}

/** Returns a list of roles that saves the chosen one at once, and shows again the former one if it was refused. */
function roleSelect({ name, roles, roleOf }: Row, { id }: Action, { look, submit }: Drawing) {
  const select = create(
    'select',
    {
      ...part('input', look),
      name: id,
      autocomplete: 'off',
      'aria-label': `${textOf(line('role'), look)} ${name}`,
    },
    ...roles.map((each) => create('option', { value: each.name }, textOf(roleName(each.name), look))),
  )
  select.value = roleOf()
  select.addEventListener('change', async () => {
    await submit(id, { newRole: select.value })
    select.value = roleOf()
  })
  return select
}

function searchOf(find: Action, value: string, { look, submit }: Drawing) {
  const label = textOf(line('search'), look)
  const input = create('input', {
    ...part('input', look),
    ...{
      type: 'search',
      name: 'search',
      value,
      placeholder: label,
      maxlength: '254',
      autocomplete: 'off',
      dir: 'auto',
    },
    'aria-label': label,
  })
  const run = () => submit(find.id, { search: input.value.trim() })
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    // Enter would send the form.
    event.preventDefault()
    run()
  })
  const button = buttonOf(find, look)
  button.addEventListener('click', run)
  return create('div', { ...part('search', look), role: 'search' }, input, button)
}
