import type { Client } from '../../client.js'
import { action } from '../actions.js'
import { create, directionOf, type Look, part } from '../dom.js'
import { createFlow } from '../flow-engine.js'
import { render } from '../render.js'
import type { Action, Outcome, Screen } from '../view.js'
import * as screens from './screens.js'
import { type DialogScreen, silent } from './section.js'

export { askWhoItIs } from './step-up.js'

/** A modal dialog of an element. */
export interface Dialog {
  /** What its last action has led to. Undefined if nothing was done. */
  readonly ended: Promise<Outcome | undefined>
  /** Shows it, again if the element was drawn again. */
  draw(): void
  close(): void
}

/** Where a dialog is shown, and how. */
interface Place {
  host: HTMLElement
  client: Client
  look(): Look
}

/**
 * Returns the flow of a dialog, and a function that cancels it.
 *
 * @param end called after an action without another screen, and by the button that cancels
 */
export function dialogFlow(client: Client, first: DialogScreen, end: (outcome?: Outcome) => void) {
  let done: Outcome | undefined
  const cancel = () => end(done)
  const wrap = (each: Action): Action => ({
    ...each,
    async run(values) {
      const outcome = silent(await each.run(values))
      if (!outcome || outcome.isSame || outcome.fieldErrors || (outcome.error && !outcome.screen))
        return outcome
      if (!outcome.screen) end(outcome)
      else done ??= {}
      return outcome.screen && { ...outcome, screen: wrapScreen(outcome.screen) }
    },
  })
  const wrapScreen = (screen: Screen): Screen => ({
    ...screen,
    actions: [
      ...screen.actions.filter(({ id }) => id !== 'back' && id !== 'keep').map(wrap),
      // Codes are shown once.
      ...(screen.codes ? [] : [action('keep', 'secondary', () => void cancel())]),
    ],
  })
  const screen = wrapScreen(typeof first === 'function' ? first(screens) : first)
  const flow = createFlow(client, () => screen)
  flow.show(screen)
  return Object.assign(flow, { cancel })
}

/** Opens a dialog. Escape cancels. */
export function openDialog(first: DialogScreen, { host, client, look }: Place): Dialog {
  const dialog = create('dialog')
  let settle: (outcome: Outcome | undefined) => void
  let undraw = () => {}

  function end(outcome?: Outcome) {
    undraw()
    flow.stop()
    // The browser moves the focus back to where it was.
    dialog.close()
    dialog.remove()
    settle(outcome)
  }

  const flow = dialogFlow(client, first, end)
  const ended = new Promise<Outcome | undefined>((resolve) => {
    settle = resolve
  })
  dialog.addEventListener('cancel', (event) => flow.screen.codes && event.preventDefault())
  dialog.addEventListener('close', flow.cancel)

  return {
    ended,
    draw() {
      const shown = look()
      undraw()
      const { language: lang } = shown
      const root = create('div', { ...part('root', shown), lang, dir: directionOf(lang) })
      dialog.replaceChildren(root)
      dialog.dataset.part = 'dialog'
      dialog.className = shown.classes.dialog ?? ''
      const stop = render(root, flow, { look: shown, heading: 'h2' })
      const title = () => root.querySelector<HTMLElement>('[data-part="title"]')
      const label = () => dialog.setAttribute('aria-labelledby', title()?.id ?? '')
      const unlabel = flow.subscribe(label)
      undraw = () => {
        stop()
        unlabel()
      }
      label()
      // A dialog that has left the page is no longer modal.
      dialog.open = false
      host.append(dialog)
      dialog.showModal()
      ;(root.querySelector<HTMLElement>('input:not([readonly])') ?? title())?.focus()
    },
    close: flow.cancel,
  }
}
