import { startAccount } from '@usher/sdk/ui/account'
import '@usher/sdk/ui.css'
import { useLayoutEffect, useState } from 'preact/hooks'
import { useConsole } from '../context.js'
import { Heading } from '../parts/text.js'

/** The account of the operator: address, password, passkeys, factors and sessions. */
export function Account() {
  const { client } = useConsole()
  const [isReady, setReady] = useState(false)
  useLayoutEffect(() => {
    startAccount({ client })
    setReady(true)
  }, [client])
  return (
    <>
      <Heading title="My account" />
      {isReady && <usher-account sections="profile email password passkeys factors sessions" />}
    </>
  )
}
