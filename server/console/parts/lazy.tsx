import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Place } from '../places.js'

type Module = Record<string, ComponentType<never>>
type Name = Place['screen'] | 'login'

/** The file of each screen, which the browser loads when it is needed. */
const modules: Record<Name, () => Promise<Module>> = {
  login: () => import('../screens/login.js'),
  link: () => import('../screens/login.js'),
  setup: () => import('../screens/setup.js'),
  account: () => import('../screens/account.js'),
  authorize: () => import('../screens/authorize.js'),
  installation: () => import('../screens/installation.js'),
  workspace: () => import('../screens/workspace.js'),
  overview: () => import('../screens/overview.js'),
  users: () => import('../screens/users.js'),
  user: () => import('../screens/user.js'),
  tenants: () => import('../screens/tenants.js'),
  tenant: () => import('../screens/tenant.js'),
  connections: () => import('../screens/connections.js'),
  connection: () => import('../screens/connection.js'),
  keys: () => import('../screens/keys.js'),
  settings: () => import('../screens/settings.js'),
  deliveries: () => import('../screens/deliveries.js'),
  import: () => import('../screens/import.js'),
  operators: () => import('../screens/operators.js'),
  actions: () => import('../screens/actions.js'),
  missing: () => import('../screens/missing.js'),
}

const loaded = new Map<Name, ComponentType<never>>()

/** Loads the file of a screen, also before the screen is shown. */
export async function load(name: Name) {
  const [screen] = Object.values(await modules[name]())
  if (screen) loaded.set(name, screen)
}

/** Shows a screen when its file is there. */
export function Lazy({ name, given = {} }: { name: Name; given?: object }) {
  const [, setLoaded] = useState(0)
  const [isMissing, setMissing] = useState(false)
  const Screen = loaded.get(name) as ComponentType<object> | undefined
  useEffect(() => {
    // Also if its file has arrived since this was rendered.
    if (!Screen)
      load(name).then(
        () => setLoaded((former) => former + 1),
        () => setMissing(true),
      )
  }, [name])
  if (Screen) return <Screen {...given} />
  return isMissing ? (
    <p role="alert">
      This screen cannot be loaded. The server may have been updated.{' '}
      <a href={location.href} target="_self">
        Reload
      </a>
    </p>
  ) : null
}
