import { useEffect, useState } from 'preact/hooks'

const listeners = new Set<(text: string) => void>()

/** Says what was done. */
export function announce(text: string) {
  for (const listener of listeners) listener(text)
}

/** Shows the last announcement for a while. It stays in the page, so that screen readers notice its text. */
export function Status() {
  const [text, setText] = useState('')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const show = (next: string) => {
      clearTimeout(timer)
      setText(next)
      timer = setTimeout(() => setText(''), 10_000)
    }
    listeners.add(show)
    return () => {
      clearTimeout(timer)
      listeners.delete(show)
    }
  }, [])
  return (
    <p class="status" role="status">
      {text}
    </p>
  )
}
