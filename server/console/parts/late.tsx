import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns a component whose file the browser loads when it is needed, and a function that loads the file before. */
export function late<Props extends object>(load: () => Promise<Record<string, ComponentType<Props>>>) {
  let Loaded: ComponentType<Props> | undefined
  const ensure = async () => {
    const [first] = Object.values(await load())
    Loaded = first as ComponentType<Props> | undefined
  }
  function Late(given: Props) {
    const [, setLoaded] = useState(0)
    const [isMissing, setMissing] = useState(false)
    useEffect(() => {
      // Also if its file has arrived since this was rendered.
      if (!Loaded)
        ensure().then(
          () => setLoaded((former) => former + 1),
          () => setMissing(true),
        )
    }, [])
    if (Loaded) return <Loaded {...given} />
    return isMissing ? (
      <p role="alert">
        This screen cannot be loaded. The server may have been updated.{' '}
        <a href={location.href} target="_self">
          Reload
        </a>
      </p>
    ) : null
  }
  return { ensure, Late }
}
