/** Screens of a database, in the order of their tabs. */
export const sections = {
  overview: 'Overview',
  users: 'Users',
  tenants: 'Tenants',
  connections: 'Connections',
  keys: 'Keys',
  settings: 'Settings',
  deliveries: 'Deliveries',
  import: 'Import',
  actions: 'Recorded actions',
} as const
export type Section = keyof typeof sections

/** The screens of one object, by the section that lists them. */
export const objects = {
  users: 'user',
  tenants: 'tenant',
  connections: 'connection',
  actions: 'actions',
} as const

/** Screens that are not of a workspace, by the first part of their path. */
const fixed = ['operators', 'actions', 'account', 'authorize', 'setup'] as const
/** Links of mails lead to them. */
const links = ['login', 'reset-password', 'verify-email', 'change-email', 'undo-email-change', 'invitation']
/** Paths of the server. */
const others = ['session', 'assets']

/** What is shown. */
export interface Place {
  screen:
    | 'installation'
    | 'workspace'
    | Section
    | 'user'
    | 'tenant'
    | 'connection'
    | (typeof fixed)[number]
    | 'link'
    | 'missing'
  workspaceSlug: string
  databaseName: string
  /** ID of the user or tenant, or name of the connection. */
  id: string
}

const root = '/console'
const nowhere = { workspaceSlug: '', databaseName: '', id: '' }
export const missingPlace: Place = { ...nowhere, screen: 'missing' }
const isIn = <Item extends string>(list: readonly Item[], text: string): text is Item =>
  list.includes(text as Item)

/** Returns what a path shows. A workspace with the name of a screen has a tilde before it. */
export function placeOf(path: string): Place {
  const [first = '', databaseName = '', section = '', id = '', ...rest] = path
    .slice(root.length + 1)
    .split('/')
    .map(decoded)
  if (rest.some(Boolean)) return missingPlace
  if (!first) return { ...nowhere, screen: 'installation' }
  if (!databaseName && isIn(fixed, first)) return { ...nowhere, screen: first }
  if (!databaseName && isIn(links, first)) return { ...nowhere, screen: 'link' }
  const workspaceSlug = first.replace(/^~/, '')
  const at = { workspaceSlug, databaseName, id }
  if (!databaseName) return { ...at, screen: 'workspace' }
  if (!section) return { ...at, screen: 'overview' }
  if (id)
    return section in objects ? { ...at, screen: objects[section as keyof typeof objects] } : missingPlace
  return section in sections && section !== 'overview' ? { ...at, screen: section as Section } : missingPlace
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the path of a workspace, a database, one of its sections, or an object of it. */
export function pathTo(workspaceSlug?: string, ...parts: string[]) {
  if (!workspaceSlug) return root
  const isTaken = isIn([...fixed, ...links, ...others], workspaceSlug)
  return [root, (isTaken ? '~' : '') + workspaceSlug, ...parts.map(encodeURIComponent)].join('/')
}

/** Returns the path of a screen that is not of a workspace. */
export const pathOf = (screen: (typeof fixed)[number]) => `${root}/${screen}`
