import { buttonOf, fieldOf, newId, type ShownField } from './controls.js'
import { create, focusIn, type Look, nodesOf, part } from './dom.js'
import { actionsOf, type Flow } from './flow-engine.js'
import { textOf } from './text.js'
import { type Action, type Item, line, type Screen, type Shown, type Values } from './view.js'

/** How a flow is shown. */
export interface Options {
  look: Look
  /** Element of the title. */
  heading: 'h1' | 'h2'
}

/**
 * Shows a flow in an element, and follows its changes.
 *
 * @param left called when a form with a password has led to another screen, so that password managers save it
 * @returns a function that ends this
 */
export function render(root: HTMLElement, flow: Flow, { look, heading, left }: Options & { left?(): void }) {
  let shown: Screen | undefined
  let form: ReturnType<typeof formOf> | undefined

  function update() {
    const { screen, feedback } = flow
    if (screen !== shown) {
      const former = shown
      // Read before the form with the focus leaves the page.
      const place = form && focusIn(form.node)
      shown = screen
      form = formOf(screen, { look, heading }, (id, more) => flow.submit(id, { ...form?.values(), ...more }))
      root.replaceChildren(...(screen.isEmpty ? [] : [form.node]))
      if (place !== undefined) keepPlace(form, former?.name === screen.name ? place : nameOf(screen.focus))
      if (former?.fields?.some(({ type }) => type === 'password')) left?.()
    }
    form?.show(feedback)
  }

  update()
  return flow.subscribe(update)
}

const nameOf = (field: string | undefined) => field && `[name="${field}"]`

/** Moves the focus to a place of the form, or to its title. */
function keepPlace({ node, title }: ReturnType<typeof formOf>, place: string | undefined) {
  const found = place ? node.querySelector<HTMLElement>(place) : null
  ;(found ?? title).focus()
}

function formOf(
  screen: Screen,
  { look, heading }: Options,
  submit: (id: string, more?: Values) => Promise<void>,
) {
  const id = newId()
  const text = (shown: Shown, name: 'text' | 'details' = 'text') =>
    create('p', part(name, look), ...nodesOf(shown, look))
  const title = create(
    heading,
    { ...part('title', look), id, tabindex: '-1' },
    ...nodesOf(screen.title, look),
  )
  const alert = create('p', { ...part('alert', look), role: 'alert' })
  const status = create('p', { ...part('status', look), role: 'status' })
  const progress = create('progress', {
    ...part('progress', look),
    'aria-label': textOf(line('working'), look),
  })
  const fields = new Map<string, ShownField>()
  const shownField = (field: Parameters<typeof fieldOf>[0]) => {
    const made = fieldOf(field, look)
    fields.set(field.name, made)
    return made.node
  }
  const button = (action: Action) => {
    const made = buttonOf(action, look)
    if (action.kind !== 'submit') made.addEventListener('click', () => submit(action.id))
    return made
  }
  const buttons = (...kinds: Action['kind'][]) =>
    screen.actions.filter(({ kind }) => kinds.includes(kind)).map(button)
  const main = buttons('submit', 'danger', 'secondary')
  const providers = buttons('provider')
  const itemOf = ({ id: key, picture, title, details = [], field, actions = [] }: Item) =>
    create(
      'li',
      { ...part('item', look), 'data-id': key },
      picture?.(look),
      create('strong', {}, ...nodesOf(title, look)),
      ...details.map((each) => text(each, 'details')),
      field && shownField(field),
      ...actions.map((each) => button({ object: textOf(title, look), ...each })),
    )
  const node = create(
    'form',
    {
      ...part('form', look),
      'data-screen': screen.name,
      // No landmark while it waits: nothing tells those of several sections apart.
      'aria-labelledby': !screen.isWaiting && id,
      novalidate: true,
    },
    title,
    alert,
    ...(screen.lines ?? []).map((each) => text(each)),
    ...(screen.qr ? qrNodes(screen.qr, look) : []),
    screen.codes && codesOf(screen.codes, look),
    screen.items?.[0] && create('ul', part('list', look), ...screen.items.map(itemOf)),
    ...(screen.fields ?? []).map(shownField),
    ...main,
    main[0] && providers[0] && create('p', part('divider', look), ...nodesOf(line('or'), look)),
    ...providers,
    ...buttons('link'),
    status,
    progress,
    screen.content?.draw({ look, button, submit }),
  )
  node.addEventListener('submit', (event) => {
    event.preventDefault()
    const action = actionsOf(screen).find(({ kind }) => kind === 'submit')
    if (action) submit(action.id)
  })

  /** Shows on the button and in the status, which screen readers read once, that the client works. */
  function showWork(done: number | undefined) {
    progress.value = done ?? 0
    const isWorking = done !== undefined
    if (progress.hidden !== isWorking) return
    progress.hidden = !isWorking
    if (isWorking) status.replaceChildren(...nodesOf(line('working'), look))
    const sending = screen.actions.find(({ kind }) => kind === 'submit')
    const label = isWorking ? line('working') : sending?.label
    main.find(({ type }) => type === 'submit')?.replaceChildren(...nodesOf(label, look))
  }
  progress.hidden = true

  return {
    node,
    title,
    values: () => Object.fromEntries([...fields].map(([name, { input }]) => [name, input.value])),
    show({ isBusy, error, fieldErrors, status: done, progress }: Flow['feedback']) {
      node.setAttribute('aria-busy', String(isBusy))
      alert.replaceChildren(...nodesOf(error, look))
      if (progress === undefined) status.replaceChildren(...nodesOf(done, look))
      showWork(progress)
      for (const [name, field] of fields) field.fail(fieldErrors[name])
      const wrong = [...fields.values()].find(({ input }) => input.ariaInvalid === 'true')
      wrong?.input.focus()
    },
  }
}

/** Shows a QR code and the secret in it, which also opens the app of a phone. */
function qrNodes({ content, secret }: { content: string; secret: string }, look: Look) {
  const place = create('div', part('qr', look))
  const label = textOf(line('qrLabel'), look)
  // Only who adds an authenticator app loads it. Without the picture, the secret is typed.
  import('./qr.js').then(
    ({ qrOf }) => place.append(qrOf(content, label)),
    () => {},
  )
  return [
    place,
    create(
      'p',
      part('text', look),
      ...nodesOf(line('secret'), look),
      ' ',
      create('code', part('secret', look), secret.replace(/.{4}(?=.)/g, '$& ')),
    ),
    create(
      'p',
      part('text', look),
      create('a', { ...part('link', look), href: content }, ...nodesOf(line('openApp'), look)),
    ),
  ]
}

/** Shows recovery codes with buttons that copy and print them. */
function codesOf(codes: readonly string[], look: Look) {
  const button = (key: 'copy' | 'print') =>
    create('button', { ...part('secondary', look), type: 'button' }, ...nodesOf(line(key), look))
  const copy = button('copy')
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(codes.join('\n')).then(
      () => copy.replaceChildren(...nodesOf(line('copied'), look)),
      () => getSelection()?.selectAllChildren(list),
    )
  })
  const printing = button('print')
  printing.addEventListener('click', () => print())
  const list = create(
    'ul',
    part('codes', look),
    ...codes.map((code) => create('li', {}, create('code', { dir: 'ltr' }, code))),
  )
  return create('div', {}, list, copy, printing)
}
