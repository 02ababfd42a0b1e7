import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { startApp } from '../support/app.js'
import { it as consoleTest, operatorPassword } from '../support/console.js'

const it = consoleTest.extend('first', { scope: 'file' }, async ({ console }) => {
  await console.createFirst('owner@example.com')
  return console
})

type Headers = Record<string, string>

describe('the session of a browser', () => {
  it('has its refresh token in a cookie, which no other route reads', async ({ usher, first }) => {
    const send = (method: 'POST' | 'PUT' | 'DELETE', headers: Headers = {}, payload?: object) =>
      usher.inject({ method, url: '/console/session', headers, ...(payload && { payload }) })
    const owner = await first.enrol('owner@example.com')
    const opened = await send('POST', { authorization: `Bearer ${owner.jwt}` }, { label: 'Firefox' })
    expect(opened.statusCode).toBe(201)
    expect(opened.json().refreshToken).toMatchObject({ value: 'cookie', type: 'REFRESH_TOKEN' })
    const [cookie = ''] = String(opened.headers['set-cookie']).split(';')
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^__Host-usher-console=[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    const refreshed = await send('PUT', { cookie: `other=1; ${cookie}`, 'sec-fetch-site': 'same-origin' })
    expect([refreshed.statusCode, refreshed.json().refreshToken.value]).toEqual([200, 'cookie'])
    expect(refreshed.body).not.toContain(cookie.split('=')[1])
    const me = await usher.inject({ method: 'GET', url: '/operator/me', headers: { cookie } })
    expect(me.json().code).toBe('token_missing')

    const [next = ''] = String(refreshed.headers['set-cookie']).split(';')
    const ended = await send('DELETE', { cookie: next })
    expect([ended.statusCode, ended.headers['set-cookie']]).toEqual([
      204,
      '__Host-usher-console=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
    expect((await send('PUT', { cookie: next })).json().code).toBe('session_ended')
    expect((await send('PUT')).json().code).toBe('session_ended')
    expect((await send('POST')).json().code).toBe('token_missing')
  })

  it.for(['cross-site', 'same-site'])('is not opened by a page that is %s', async (site, { usher }) => {
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const headers = { 'sec-fetch-site': site, origin: 'https://evil.example' }
      const response = await usher.inject({ method, url: '/console/session', headers })
      expect(response.statusCode).toBe(404)
      expect(response.headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

it('an unknown file of the console is not found, and no path leaves its folder', async ({ usher }) => {
  for (const url of ['/console/none.js', '/console/../../package.json', '/console/%2e%2e/config.js']) {
    const response = await usher.inject({ method: 'GET', url })
    expect([200, 404]).toContain(response.statusCode)
    expect(response.body).not.toContain('import ')
  }
})

describe('where the console is served', () => {
  const outcomeOf = async (
    app: Awaited<ReturnType<typeof startApp>>['app'] | undefined,
    url: string,
    from = '127.0.0.1',
  ) => {
    const response = await app?.inject({ method: 'GET', url, remoteAddress: from })
    return response?.statusCode === 200 ? 200 : response?.json().code
  }
  const keys = (path: string) => `${path.replace(/\/users$/, '')}/.well-known/jwks.json`

  it('only to this machine, unless CONSOLE is set', async ({ usher, store, console }) => {
    const remote = '192.0.2.1'
    const path = keys(console.users)
    expect(await outcomeOf(usher.app, '/operator/console', remote)).toBe('route_not_found')
    expect(await outcomeOf(usher.app, path, remote)).toBe('database_not_found')
    expect(await outcomeOf(usher.app, '/operator/console', '::1')).toBe(200)
    const statusWith = async (headers: Record<string, string>) =>
      (await usher.app.inject({ method: 'GET', url: '/operator/console', headers })).statusCode
    const ofProxies = [
      'x-forwarded-for',
      'x-forwarded-host',
      'forwarded',
      'x-real-ip',
      'via',
      'cf-connecting-ip',
    ]
    for (const name of ofProxies) expect(await statusWith({ [name]: remote }), name).toBe(404)
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000'])
      expect(await statusWith({ host }), host).toBe(200)
    // A page on the internet whose name leads to this machine by now.
    expect(await statusWith({ host: 'rebound.example' })).toBe(404)
    const open = await startApp(store, { CONSOLE: 'on' })
    expect(await outcomeOf(open.app, '/operator/console', remote)).toBe(200)
    expect(await outcomeOf(open.app, path, remote)).toBe(200)
    await open.close()
  })

  it('not to a proxy of this machine that sends nothing of its own, as nginx does by default', async ({
    usher,
    console,
  }) => {
    await usher.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = usher.app.server.address() as AddressInfo
    const statusWith = async (version: string, path: string) => {
      const socket = connect(port, '127.0.0.1').setEncoding('latin1')
      socket.write(`GET ${path} HTTP/${version}\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
      return Number((await text(socket)).split(' ')[1])
    }
    const paths = ['/operator/console', '/console', keys(console.users)]
    for (const path of paths) expect(await statusWith('1.1', path), path).toBe(200)
    for (const path of paths) expect(await statusWith('1.0', path), path).toBe(404)
  })

  it('not at all with CONSOLE=off', async ({ store, console }) => {
    const closed = await startApp(store, { CONSOLE: 'off' })
    expect(await outcomeOf(closed.app, '/operator/console')).toBe('route_not_found')
    expect(await outcomeOf(closed.app, '/console')).toBe('route_not_found')
    expect(await outcomeOf(closed.app, keys(console.users))).toBe('database_not_found')
    await closed.close()
  })

  it('on the port of the management API if it has one', async ({ store, console }) => {
    const apart = await startApp(store, { MANAGEMENT_PORT: '3001', CONSOLE: 'on' })
    const customer = await apart.newDatabase()
    const ports = [apart.app, apart.managementApp]
    const on = async (url: string) => Promise.all(ports.map((app) => outcomeOf(app, url)))
    expect(await on('/operator/console')).toEqual(['route_not_found', 200])
    expect(await on(keys(console.users))).toEqual(['database_not_found', 200])
    expect(await on(keys(customer.users))).toEqual([200, 'database_not_found'])
    const login = await apart.managementApp?.inject({
      method: 'POST',
      url: `${customer.users}/login`,
      payload: {},
    })
    expect(login?.json().code).toBe('database_not_found')
    const ofOperators = { email: 'owner@example.com', password: operatorPassword }
    const logins = ports.map((app) =>
      app?.inject({ method: 'POST', url: `${console.users}/login`, payload: ofOperators }),
    )
    expect((await Promise.all(logins)).map((response) => response?.json().code)).toEqual([
      'database_not_found',
      'second_factor_required',
    ])
    await apart.close()
  })
})
