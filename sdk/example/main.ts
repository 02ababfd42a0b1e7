import { createSessionClient } from '@usher/sdk/session'
import { start } from '@usher/sdk/ui'
import { startAccount } from '@usher/sdk/ui/account'
import { startSsoSetup } from '@usher/sdk/ui/sso'
import '@usher/sdk/ui.css'

const client = createSessionClient({
  baseUrl: import.meta.env.VITE_USHER_URL || 'http://localhost:3000',
  workspace: import.meta.env.VITE_USHER_WORKSPACE || 'demo',
  database: import.meta.env.VITE_USHER_DATABASE || 'app',
  tokenStore: () => localStorage,
  sessionStore: () => localStorage,
})
start({ client })
startAccount({ client })
startSsoSetup({ client })

const look = document.querySelector('#look') as HTMLSelectElement
look.addEventListener('change', () => {
  document.documentElement.dataset.look = look.value
})

const main = document.querySelector('main') as HTMLElement
const menu = document.querySelector('usher-user-menu') as HTMLElement

const titles: Record<string, string> = {
  'usher-tenant': 'Team',
  'usher-account': 'Account',
  'usher-sso-setup': 'Single sign-on',
}

/** Shows the login on the pages of links, such as `/reset-password`, and to those who are not logged in. */
function show() {
  const team = /^#team=(.+)/.exec(location.hash)?.[1]
  menu.setAttribute('tenant', team ?? '')
  const isSetup = location.pathname === '/sso-setup'
  const isLogin = !isSetup && (!client.token || location.pathname !== '/')
  const name = isSetup
    ? 'usher-sso-setup'
    : isLogin
      ? 'usher-sign-in'
      : team
        ? 'usher-tenant'
        : 'usher-account'
  let element = main.lastElementChild
  if (element?.localName !== name) {
    const title = Object.assign(document.createElement('h1'), { textContent: titles[name] })
    const isFirst = !element
    element = document.createElement(name)
    main.replaceChildren(...(isLogin ? [] : [title]), element)
    if (!isFirst) main.focus()
  }
  if (name === 'usher-tenant' && team) element.setAttribute('tenant', team)
}

addEventListener('hashchange', show)
addEventListener('usher-tenant', (event) => {
  location.hash = `team=${(event as CustomEvent<{ tenantId: string }>).detail.tenantId}`
})
addEventListener('usher-signed-in', () => {
  history.replaceState(null, '', `/${location.hash}`)
  show()
})
// Called when the token has changed, here or in another tab.
client.subscribe(() => client.token || show())
show()
