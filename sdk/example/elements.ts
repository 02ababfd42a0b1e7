export const element = <Name extends keyof HTMLElementTagNameMap>(tagName: Name, text: string) =>
  Object.assign(document.createElement(tagName), { textContent: text })

/** Returns an item of a list. */
export function listItem(...children: HTMLElement[]) {
  const item = element('li', '')
  item.append(...children)
  return item
}

interface ActionButton {
  text: string
  /** The button's field of its form. */
  name: string
  value: string
  /** What the button acts on, for screen readers. */
  object: string
  /** Shown after success, instead of the message of the form. */
  success?: string
}

/** Returns a button that submits its form. */
export function actionButton({ text, name, value, object, success }: ActionButton) {
  const button = Object.assign(element('button', text), { name, value, ariaLabel: `${text} ${object}` })
  if (success) {
    button.className = 'destructive'
    button.dataset.success = success
  }
  return button
}

export const formatTime = (time: string) =>
  new Date(time).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
