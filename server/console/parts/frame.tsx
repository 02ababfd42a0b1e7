import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useConsole } from '../context.js'
import { objects, pathOf, pathTo, type Section, sections } from '../places.js'
import { Cancel, Dialog } from './dialog.js'
import { Jump } from './jump.js'
import { Name } from './text.js'

/** What surrounds every screen: the way to it, the jump dialog, the operator, and the navigation. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { place, operator } = useConsole()
  const { workspaceSlug, databaseName } = place
  const { preferredName, email } = operator
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <Sheet />
        <nav aria-label="Place">
          <ol class="plain">
            <li>
              <a href={pathTo()}>Usher</a>
            </li>
            {workspaceSlug && (
              <li>
                <a href={pathTo(workspaceSlug)}>{workspaceSlug}</a>
              </li>
            )}
            {databaseName && (
              <li>
                <a href={pathTo(workspaceSlug, databaseName)}>{databaseName}</a>
              </li>
            )}
          </ol>
        </nav>
        <Jump />
        <button type="button" popovertarget="menu" class="menu-button">
          <Name of={preferredName ?? email} />
        </button>
        <div id="menu" popover="auto">
          <OfOperator />
        </div>
      </header>
      <div class="frame">
        <div class="side">
          <Navigation />
        </div>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  )
}

function OfOperator() {
  const { client } = useConsole()
  return (
    <ul class="plain">
      <li>
        <a href={pathOf('account')}>My account</a>
      </li>
      <li>
        <button type="button" onClick={() => client.signOut()}>
          Log out
        </button>
      </li>
    </ul>
  )
}

/** The navigation of a page that is too narrow to have it at its side. */
function Sheet() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="sheet-button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Menu
      </button>
      {isOpen && (
        <Dialog title="Menu" isSheet onClose={() => setOpen(false)}>
          {(close) => (
            // A link closes it, also that of the screen that is shown. The next heading takes the focus.
            // biome-ignore lint/a11y/noStaticElementInteractions: links are clicked, and the keyboard clicks them too
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard clicks the links, which reaches this listener
            <div onClick={(event) => (event.target as Element).closest('a') && close()}>
              <Navigation />
              <OfOperator />
              <Cancel close={close} text="Close" />
            </div>
          )}
        </Dialog>
      )}
    </>
  )
}

/** The screens of a database, and those of the installation. */
function Navigation() {
  const { place, may } = useConsole()
  const { screen, workspaceSlug, databaseName } = place
  const isOfInstallation = !workspaceSlug
  const link = (path: string, name: string, isCurrent: boolean) => (
    <li key={path}>
      <a href={path} aria-current={isCurrent ? 'page' : undefined}>
        {name}
      </a>
    </li>
  )
  return (
    <>
      {databaseName && <OfDatabase link={link} />}
      <nav aria-label="Installation">
        <ul class="plain">
          {link(pathTo(), 'All workspaces', screen === 'installation')}
          {workspaceSlug &&
            link(pathTo(workspaceSlug), `Databases of ${workspaceSlug}`, screen === 'workspace')}
          {may('listOperators') && (
            <>
              {link(pathOf('operators'), 'Operators', screen === 'operators')}
              {link(pathOf('actions'), 'All recorded actions', screen === 'actions' && isOfInstallation)}
            </>
          )}
        </ul>
      </nav>
    </>
  )
}

function OfDatabase({ link }: { link(path: string, name: string, isCurrent: boolean): ComponentChildren }) {
  const { place, may } = useConsole()
  const { workspaceSlug, databaseName, screen } = place
  const [current = screen] = Object.entries(objects).find(([, each]) => each === screen) ?? []
  return (
    <nav aria-label="Database">
      <ul class="plain">
        {(Object.keys(sections) as Section[])
          .filter((section) => section !== 'import' || may('importUsers'))
          .map((section) =>
            link(
              pathTo(workspaceSlug, databaseName, ...(section === 'overview' ? [] : [section])),
              sections[section],
              section === current,
            ),
          )}
      </ul>
    </nav>
  )
}
