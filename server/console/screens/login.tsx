import type { Client } from '@usher/sdk'
import { start } from '@usher/sdk/ui'
import '@usher/sdk/ui.css'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { DataOf } from '../api.js'
import { go, passwordSet } from '../navigation.js'
import { pathTo, placeOf } from '../places.js'

const isOfReset = () => location.pathname.endsWith('/reset-password')

/** The login, and the screens to which the links of mails lead. A login leads back to the path. */
export function Login({ info, client }: { info: DataOf<'getConsole'>; client: Client }) {
  const place = useRef<HTMLDivElement>(null)
  const [isReady, setReady] = useState(false)
  useLayoutEffect(() => {
    document.title = 'Log in – Usher'
    start({ client })
    setReady(true)
  }, [client])
  useEffect(() => {
    const { current } = place
    // The path of a link shows nothing to an operator who is logged in.
    const arrive = () => {
      if (placeOf(location.pathname).screen !== 'link') return
      go(pathTo(), { replaces: true, state: isOfReset() ? passwordSet : null })
    }
    current?.addEventListener('usher-signed-in', arrive)
    return () => current?.removeEventListener('usher-signed-in', arrive)
  }, [isReady])
  return (
    <main class="login">
      <p class="brand">Usher console</p>
      {!info.hasOperators && (
        <p class="note">
          There is no operator yet. Open the link that the server has printed at its start. A restart with{' '}
          <code>CONSOLE=on</code> prints another one.
        </p>
      )}
      {isOfReset() && (
        <p class="note">
          If you have no second factor, you log in with the new password afterwards, and add one. The console
          is only for logins with two factors.
        </p>
      )}
      {history.state?.isPasswordSet && (
        <p class="note" role="status">
          Your password is set. Log in to add your second factor.
        </p>
      )}
      <div ref={place}>{isReady && <usher-sign-in hide="sign-up" />}</div>
    </main>
  )
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'usher-sign-in': { hide?: string }
      'usher-account': { sections?: string }
    }
  }
}
