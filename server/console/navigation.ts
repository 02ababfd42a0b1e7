import { useEffect, useState } from 'preact/hooks'

/** State of the entry of the history in which an operator logs in after choosing a password. */
export const passwordSet = { isPasswordSet: true }

/** Forgets it after the login. */
export const forgetPasswordSet = () => history.replaceState(null, '', location.href)

const changed = new EventTarget()
let isFocusWanted = false

/** Returns whether the operator leaves the screen, although it may have what is not saved. */
let mayLeave = () => true

/** Asks before the operator leaves or reloads the screen, while it has what is not saved. */
export function useUnsaved(isUnsaved: boolean) {
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    mayLeave = () => confirm('Leave without saving your changes?')
    return () => {
      removeEventListener('beforeunload', ask)
      mayLeave = () => true
    }
  }, [isUnsaved])
}

/** Shows another screen. @param state what the entry of the history has to know, if it replaces the current one */
export function go(
  path: string,
  { replaces = false, state = null }: { replaces?: boolean; state?: unknown } = {},
) {
  if (!replaces && !mayLeave()) return
  if (replaces) history.replaceState(state, '', path)
  else history.pushState(null, '', path)
  scrollTo(0, 0)
  arrive()
}

/** The path that is shown. */
let shown = location.pathname

function arrive() {
  // Such as after a link inside the page.
  if (location.pathname === shown) return
  shown = location.pathname
  isFocusWanted = true
  changed.dispatchEvent(new Event('change'))
}

/** Lets the next heading take the focus, which the former one loses. */
export function wantFocus() {
  isFocusWanted = true
}

/** Returns whether a heading has to take the focus, once after each navigation. */
export function takesFocus() {
  const isWanted = isFocusWanted
  isFocusWanted = false
  return isWanted
}

/** Returns the path, and follows it. */
export function usePath() {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const follow = () => setPath(location.pathname)
    changed.addEventListener('change', follow)
    return () => changed.removeEventListener('change', follow)
  }, [])
  return path
}

/** Lets links of the console show screens without loading the page. */
export function followLinks() {
  addEventListener('popstate', () => {
    if (location.pathname === shown || mayLeave()) arrive()
    else history.pushState(null, '', shown)
  })
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a')
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || event.defaultPrevented || link.target || link.download) return
    if (link.origin !== location.origin || !/^\/console(\/|$)/.test(link.pathname) || link.hash) return
    event.preventDefault()
    if (link.pathname !== location.pathname) go(link.pathname)
  })
}
