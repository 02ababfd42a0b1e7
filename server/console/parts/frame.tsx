import type { ComponentChildren } from 'preact'
import { useConsole } from '../context.js'
import { objects, pathOf, pathTo, type Section, sections } from '../places.js'
import { Jump } from './jump.js'
import { Name } from './text.js'

/** What surrounds every screen: the way to it, the jump dialog, the operator, and the tabs of a database. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { place, operator, client, may } = useConsole()
  const { workspaceSlug, databaseName } = place
  const { preferredName, email } = operator
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
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
          <ul class="plain">
            <li>
              <a href={pathOf('account')}>My account</a>
            </li>
            {may('listOperators') && (
              <>
                <li>
                  <a href={pathOf('operators')}>Operators</a>
                </li>
                <li>
                  <a href={pathOf('actions')}>Recorded actions</a>
                </li>
              </>
            )}
            <li>
              <button type="button" onClick={() => client.signOut()}>
                Log out
              </button>
            </li>
          </ul>
        </div>
      </header>
      {databaseName && <Tabs />}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}

function Tabs() {
  const { place, may } = useConsole()
  const [current = place.screen] = Object.entries(objects).find(([, screen]) => screen === place.screen) ?? []
  return (
    <nav aria-label="Database" class="tabs">
      <ul class="plain">
        {(Object.keys(sections) as Section[])
          .filter((section) => section !== 'import' || may('importUsers'))
          .map((section) => (
            <li key={section}>
              <a
                href={pathTo(
                  place.workspaceSlug,
                  place.databaseName,
                  ...(section === 'overview' ? [] : [section]),
                )}
                aria-current={section === current ? 'page' : undefined}
              >
                {sections[section]}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}
