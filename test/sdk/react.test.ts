import { type Client, createClient } from '@usher/sdk'
import { type UserState, useUser } from '@usher/sdk/react'
import { createSessionClient } from '@usher/sdk/session'
import { createElement, Fragment, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { renderPage } from './happy-dom.js'
import {
  ada,
  app,
  credentials,
  memoryStore,
  networkFailure,
  problem,
  signedIn,
  stubFetch,
  user,
} from './stub-fetch.js'

/** Returns a token of a user, as far as clients read it. */
const jwtOf = (sub: string, jti = '1') =>
  `header.${Buffer.from(JSON.stringify({ sub, jti, name: 'ÿ?>' })).toString('base64url')}.signature`
const jwt = jwtOf(ada.id)
const grace = { ...ada, id: '019a5d3c-7b1e-7c53-8f11-9d5c2f6b7a11', email: 'grace@example.com' }

const session = async (jwt: string, refreshToken: string, status = 200) =>
  Response.json(
    {
      ...(await signedIn(jwt).json()),
      refreshToken: { value: refreshToken, maxAge: 60, type: 'REFRESH_TOKEN' },
    },
    { status },
  )
const noContent = () => new Response(null, { status: 204 })

/** Returns a component that shows the user, what it has rendered, and what the hook returned last. */
function createView(usher: Client) {
  const rendered: string[] = []
  let latest: UserState | undefined
  const View = () => {
    latest = useUser(usher)
    const { user, state, error } = latest
    const text = [state, user?.email, error?.code].filter(Boolean).join(' ')
    if (rendered.at(-1) !== text) rendered.push(text)
    return createElement('p', null, text)
  }
  const refresh = () => latest?.refresh()
  return { View, rendered, refresh }
}

/** Renders the user of a client under StrictMode. */
async function show(usher: Client, serverHtml?: string) {
  const { View, rendered, refresh } = createView(usher)
  const page = await renderPage(createElement(StrictMode, null, createElement(View)), { serverHtml })
  onTestFinished(page.close)
  const shows = (text: string) => vi.waitFor(() => expect(page.text()).toBe(text), 10_000)
  return { page, rendered, refresh, shows }
}

/** A promise, and the function that resolves it. */
function gate<Value = void>() {
  let open: (value: Value) => void = () => {}
  const opened = new Promise<Value>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('useUser', () => {
  it('shows immediately that a visitor is logged out, and sends no request', async () => {
    const { fetch, requests } = stubFetch()
    for (const usher of [createClient({ ...app, fetch }), createSessionClient({ ...app, fetch })]) {
      const { rendered, shows } = await show(usher)
      await shows('signedOut')
      expect(rendered).toEqual(['signedOut'])
    }
    expect(requests).toEqual([])
  })

  it('loads the user once under StrictMode, after a login, and forgets it after a log-out', async () => {
    const { fetch, requests } = stubFetch(() => signedIn(jwt), user)
    const usher = createClient({ ...app, fetch })
    const { rendered, shows } = await show(usher)
    await shows('signedOut')
    await usher.login(credentials)
    await shows('signedIn ada@example.com')
    await usher.signOut()
    await shows('signedOut')
    expect(rendered).toEqual(['signedOut', 'signedIn', 'signedIn ada@example.com', 'signedOut'])
    expect(requests).toHaveLength(2)
  })

  it('refreshes the session when a page is opened again, and shows the user', async () => {
    const { store } = memoryStore()
    const { fetch, requests } = stubFetch(
      () => signedIn(jwt),
      () => session(jwt, 'id.0', 201),
      () => session(jwtOf(ada.id, '2'), 'id.1'),
      user,
    )
    const options = { ...app, fetch, sessionStore: store }
    await createSessionClient(options).login(credentials)
    const { rendered, shows } = await show(createSessionClient(options))
    await shows('signedIn ada@example.com')
    expect(rendered).toEqual(['unknown', 'signedIn', 'signedIn ada@example.com'])
    expect(requests).toHaveLength(4)
  })

  it('is signedOut without an error when a page is opened again and the session has ended', async () => {
    const { store, items } = memoryStore()
    const { fetch, requests } = stubFetch(
      () => signedIn(jwt),
      () => session(jwt, 'id.0', 201),
      () => problem('session_ended'),
    )
    const options = { ...app, fetch, sessionStore: store }
    await createSessionClient(options).login(credentials)
    const { rendered, shows } = await show(createSessionClient(options))
    await shows('signedOut')
    expect(rendered).toEqual(['unknown', 'signedOut'])
    expect([items.size, requests.length]).toEqual([0, 3])
  })

  it('renders unknown on a server without a request, and hydrates that before it shows the user', async () => {
    const { fetch, requests } = stubFetch(user)
    const usher = createClient({ ...app, fetch, token: jwt })
    const html = renderToString(createElement(createView(usher).View))
    expect(html).toBe('<p>unknown</p>')
    expect(requests).toEqual([])
    const { page, rendered, shows } = await show(usher, html)
    await shows('signedIn ada@example.com')
    expect(rendered).toEqual(['unknown', 'signedIn', 'signedIn ada@example.com'])
    expect(page.hydrationErrors).toEqual([])
    expect(requests).toHaveLength(1)
  })

  it('hydrates for a visitor who is logged out, without a request', async () => {
    const { fetch, requests } = stubFetch()
    const usher = createClient({ ...app, fetch })
    const { page, rendered, shows } = await show(usher, '<p>unknown</p>')
    await shows('signedOut')
    expect([rendered, page.hydrationErrors, requests]).toEqual([['unknown', 'signedOut'], [], []])
  })

  it.each([
    ['no_answer', networkFailure],
    ['unavailable', () => problem('unavailable')],
  ])('returns the error %s with the state, until refresh succeeds', async (code, failure) => {
    const { fetch, requests } = stubFetch(failure, user, failure, user)
    const usher = createClient({ ...app, fetch, token: jwt, retries: 0 })
    const { shows, refresh } = await show(usher)
    await shows(`signedIn ${code}`)
    await refresh()
    await shows('signedIn ada@example.com')
    await refresh()
    await shows(`signedIn ada@example.com ${code}`)
    await refresh()
    await shows('signedIn ada@example.com')
    expect(requests).toHaveLength(4)
  })

  it('stays unknown with an error while a session cannot be refreshed, and sends no further request', async () => {
    const { store } = memoryStore()
    const { fetch, requests } = stubFetch(
      () => signedIn(jwt),
      () => session(jwt, 'id.0', 201),
      networkFailure,
      () => session(jwt, 'id.1'),
      user,
    )
    const options = { ...app, fetch, sessionStore: store, retries: 0 }
    await createSessionClient(options).login(credentials)
    const { shows, refresh } = await show(createSessionClient(options))
    await shows('unknown no_answer')
    expect(requests).toHaveLength(3)
    await refresh()
    await shows('signedIn ada@example.com')
  })

  it('shows the changes that refresh has loaded, whatever an earlier request returns later', async () => {
    const first = gate<Response>()
    const countess = () => Response.json({ ...ada, email: 'countess@example.com' })
    const { fetch, requests } = stubFetch(() => first.opened, countess)
    const usher = createClient({ ...app, fetch, token: jwt })
    const { rendered, refresh, shows } = await show(usher)
    await shows('signedIn')
    await vi.waitFor(() => expect(requests).toHaveLength(1), 10_000)
    await refresh()
    await shows('signedIn countess@example.com')
    first.open(user())
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
    await shows('signedIn countess@example.com')
    expect(rendered).not.toContain('signedIn ada@example.com')
  })

  it('never shows a user after the log-out, nor a user to another one', async () => {
    const late = gate<Response>()
    const { fetch, requests } = stubFetch(
      () => late.opened,
      () => Response.json(grace),
    )
    const usher = createClient({ ...app, fetch, token: jwt })
    const { rendered, shows } = await show(usher)
    await shows('signedIn')
    await vi.waitFor(() => expect(requests).toHaveLength(1), 10_000)
    await usher.signOut()
    await shows('signedOut')
    usher.token = jwtOf(grace.id)
    late.open(user())
    await shows('signedIn grace@example.com')
    expect(rendered).toEqual(['signedIn', 'signedOut', 'signedIn', 'signedIn grace@example.com'])
  })

  it('never shows the error of a user to another one', async () => {
    const first = gate<Response>()
    const second = gate<Response>()
    const third = gate<Response>()
    const { fetch, requests } = stubFetch(
      () => first.opened,
      () => second.opened,
      () => third.opened,
    )
    const usher = createClient({ ...app, fetch, token: jwt, retries: 0 })
    const { rendered, shows } = await show(usher)
    await shows('signedIn')
    await vi.waitFor(() => expect(requests).toHaveLength(1), 10_000)
    usher.token = jwtOf(grace.id)
    first.open(problem('unavailable'))
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
    second.open(new Response(null, { status: 404 }))
    await shows('signedIn no_answer')
    usher.token = jwt
    await shows('signedIn')
    third.open(user())
    await shows('signedIn ada@example.com')
    expect(rendered).toEqual(['signedIn', 'signedIn no_answer', 'signedIn', 'signedIn ada@example.com'])
  })

  it('loads another user who logs in without a log-out, and nothing if only the token changes', async () => {
    const { fetch, requests } = stubFetch(user, () => Response.json(grace))
    const usher = createClient({ ...app, fetch, token: jwt })
    const { rendered, shows } = await show(usher)
    await shows('signedIn ada@example.com')
    usher.token = jwtOf(ada.id, '2')
    expect(requests).toHaveLength(1)
    usher.token = jwtOf(grace.id)
    await shows('signedIn grace@example.com')
    expect(rendered).toEqual([
      'signedIn',
      'signedIn ada@example.com',
      'signedIn',
      'signedIn grace@example.com',
    ])
    expect(requests).toHaveLength(2)
  })

  it('loads the user once for several components, and sees what changed while none was shown', async () => {
    const { fetch, requests } = stubFetch(user)
    const usher = createClient({ ...app, fetch, token: jwt })
    const { View } = createView(usher)
    const first = await renderPage(createElement(Fragment, null, createElement(View), createElement(View)))
    await vi.waitFor(() => expect(first.text()).toBe('signedIn ada@example.com'.repeat(2)), 10_000)
    await first.close()
    await usher.signOut()
    const { rendered, shows } = await show(usher)
    await shows('signedOut')
    expect(rendered).toEqual(['signedOut'])
    expect(requests).toHaveLength(1)
  })

  it('loads the user who logs in after refresh has rejected, because onTokenChange has thrown', async () => {
    const { fetch } = stubFetch(
      user,
      () => problem('token_invalid'),
      () => signedIn(jwtOf(grace.id)),
      () => Response.json(grace),
    )
    const onTokenChange = (token: unknown) => {
      if (!token) throw new Error('mine')
    }
    const usher = createClient({ ...app, fetch, token: jwt, onTokenChange })
    const { shows, refresh } = await show(usher)
    await shows('signedIn ada@example.com')
    await expect(refresh()).rejects.toThrow('mine')
    await usher.login(credentials)
    await shows('signedIn grace@example.com')
  })

  it('keeps the user of a token that cannot be read', async () => {
    const { fetch } = stubFetch(user)
    const { shows } = await show(createClient({ ...app, fetch, token: 'opaque' }))
    await shows('signedIn ada@example.com')
  })

  it('follows logins and log-outs of another tab that shares the store of the session', async () => {
    const { store } = memoryStore()
    const options = { ...app, sessionStore: store }
    const { fetch, requests } = stubFetch(() => session(jwt, 'id.1'), user)
    // What browsers send to the other tabs when one changes localStorage.
    const events = new EventTarget()
    const storageEvent = new Event('storage')
    const addEventListener = events.addEventListener.bind(events)
    vi.stubGlobal('window', { addEventListener })
    vi.stubGlobal('addEventListener', addEventListener)
    const { rendered, shows } = await show(createSessionClient({ ...options, fetch }))
    await shows('signedOut')
    const tab = createSessionClient({
      ...options,
      ...stubFetch(
        () => signedIn(jwt),
        () => session(jwt, 'id.0', 201),
        noContent,
      ),
    })
    await tab.login(credentials)
    events.dispatchEvent(storageEvent)
    await shows('signedIn ada@example.com')
    await tab.signOut()
    events.dispatchEvent(storageEvent)
    await shows('signedOut')
    expect(rendered).toEqual(['signedOut', 'unknown', 'signedIn', 'signedIn ada@example.com', 'signedOut'])
    expect(requests).toHaveLength(2)
  })
})
