import type { ComponentType } from 'preact'
import type { Place } from '../places.js'
import { late } from './late.js'

type Name = Place['screen'] | 'login'

/** The file of each screen, which the browser loads when it is needed. */
const screens: Record<Name, { ensure(): Promise<void>; Late: ComponentType<never> }> = {
  login: late(() => import('../screens/login.js')),
  link: late(() => import('../screens/login.js')),
  setup: late(() => import('../screens/setup.js')),
  account: late(() => import('../screens/account.js')),
  authorize: late(() => import('../screens/authorize.js')),
  installation: late(() => import('../screens/installation.js')),
  workspace: late(() => import('../screens/workspace.js')),
  overview: late(() => import('../screens/overview.js')),
  users: late(() => import('../screens/users.js')),
  user: late(() => import('../screens/user.js')),
  tenants: late(() => import('../screens/tenants.js')),
  tenant: late(() => import('../screens/tenant.js')),
  connections: late(() => import('../screens/connections.js')),
  connection: late(() => import('../screens/connection.js')),
  keys: late(() => import('../screens/keys.js')),
  settings: late(() => import('../screens/settings.js')),
  deliveries: late(() => import('../screens/deliveries.js')),
  import: late(() => import('../screens/import.js')),
  operators: late(() => import('../screens/operators.js')),
  actions: late(() => import('../screens/actions.js')),
  missing: late(() => import('../screens/missing.js')),
}

/** Loads the file of a screen, also before the screen is shown. */
export const load = (name: Name) => screens[name].ensure()

/** Shows a screen when its file is there. */
export function Lazy({ name, given = {} }: { name: Name; given?: object }) {
  const Late = screens[name].Late as ComponentType<object>
  return <Late {...given} />
}
