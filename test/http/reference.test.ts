import { gunzipSync } from 'node:zlib'
import { ProblemCode, problems } from '@usher/contract'
import { describe, expect } from 'vitest'
import { it } from '../support/api.js'
import { startApp } from '../support/app.js'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('/problems/{code}', () => {
  it.for(ProblemCode.options)('explains %s in JSON and on an HTML page', async (code, { usher }) => {
    const { status, title, advice } = problems[code]
    const json = await usher.send({ method: 'GET', url: `/problems/${code}` })
    expect(json.json()).toEqual({ code, status, title, advice })
    const page = await usher.send({ method: 'GET', url: `/problems/${code}`, headers: browser })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.body).toContain(`<h1>${title}</h1>`)
    expect(page.body).not.toContain('`')
    expect(page.body.replace(/<\/?code>/g, '`')).toContain(`<p>${advice}</p>`)
  })

  it.for([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['text/html;q=0.5, application/json', 'application/json'],
    ['text/html;q=0', 'application/json'],
    ['text/html-sandboxed', 'application/json'],
    ['image/png', 'application/json'],
    ['text/html', 'text/html'],
    ['text/*', 'text/html'],
    ['application/json;q=0.9, text/html', 'text/html'],
    ['text/html, */*;q=0.1', 'text/html'],
  ] as const)('returns for Accept: %s the type %s', async ([accept, type], { usher }) => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    const response = await usher.send({ method: 'GET', url: '/problems/email_taken', headers })
    expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`)
    expect(response.headers.vary).toBe('Accept')
  })

  it('keeps the Vary header of CORS', async ({ store }) => {
    const listed = await startApp(store, { CORS_ORIGINS: 'https://app.example.com' })
    const response = await listed.send({ method: 'GET', url: '/problems/email_taken' })
    expect(response.headers.vary).toBe('Origin, Accept')
    await listed.close()
  })

  it('sends the page of a problem once', async ({ usher }) => {
    usher.forgetLog()
    await usher.send({ method: 'GET', url: '/problems/email_taken', headers: browser })
    expect(usher.logged()).toContain('answered')
    expect(usher.logged()).not.toContain('FST_ERR_REP_ALREADY_SENT')
  })

  it('returns 404 for an unknown problem code', async ({ usher }) => {
    const response = await usher.send({ method: 'GET', url: '/problems/<script>' })
    expect(response.statusCode).toBe(404)
    expect(response.json().code).toBe('route_not_found')
  })

  it('returns a 404 page to browsers for an unknown problem code', async ({ usher }) => {
    const page = await usher.send({ method: 'GET', url: '/problems/script', headers: browser })
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<h1>Unknown problem type</h1>')
    expect(page.body).not.toContain('script')
  })

  it('serves the page to which the type of a problem links', async ({ usher }) => {
    const problem = (await usher.send({ method: 'GET', url: '/nowhere' })).json()
    const page = await usher.send({ method: 'GET', url: new URL(problem.type).pathname })
    expect(page.json()).toMatchObject({ code: problem.code, title: problem.title })
  })
})

describe('/docs', () => {
  it.for([
    ['/docs', 'management/docs'],
    ['/management/docs', '../docs'],
  ] as const)(
    'serves %s with local scripts and styles only, under a strict Content-Security-Policy',
    async ([url, other], { usher }) => {
      const page = await usher.inject({ url })
      expect(page.statusCode).toBe(200)
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'none';script-src 'self';style-src 'self'/,
      )
      expect(page.headers['content-security-policy']).not.toContain('unsafe')
      const assets = [...page.body.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(
        ([, asset]) => asset ?? '',
      )
      expect(assets.length).toBeGreaterThan(3)
      for (const asset of assets) {
        if (asset !== other) expect(asset).toMatch(/^(docs\/|openapi)/)
        const { pathname } = new URL(asset, `http://localhost${url}`)
        expect((await usher.inject({ url: pathname })).statusCode).toBe(200)
      }
      expect(assets).toContain(other)
    },
  )

  it.for(['/docs', '/management/docs', '/docs/page.js', '/docs/swagger-ui-bundle.js'])(
    'sends %s compressed, and only once to a browser that keeps it',
    async (url, { usher }) => {
      const whole = await usher.inject({ url })
      const compressed = await usher.inject({ url, headers: { 'accept-encoding': 'gzip' } })
      expect(compressed.headers['content-encoding']).toBe('gzip')
      expect(compressed.rawPayload.length).toBeLessThan(whole.rawPayload.length / 1.5)
      expect(gunzipSync(compressed.rawPayload).equals(whole.rawPayload)).toBe(true)
      expect(whole.headers['cache-control']).toBe('no-cache')
      const again = await usher.inject({ url, headers: { 'if-none-match': String(whole.headers.etag) } })
      expect([again.statusCode, again.body]).toEqual([304, ''])
    },
  )

  it.for(['/docs/', '/docs/?a=b', '/management/docs/'])(
    'redirects %s to the page, whose links are relative',
    async (url, { usher }) => {
      const response = await usher.inject({ url })
      expect([response.statusCode, response.headers.location]).toEqual([302, '../docs'])
    },
  )

  it.for(['..%2fpackage.json', '%00', `${'x'.repeat(300)}.css`, 'a%2f%2fb', 'page.ts'])(
    'returns 404 for the asset %j',
    async (name, { usher }) => {
      const response = await usher.app.inject({ url: `/docs/${name}` })
      expect(response.statusCode).toBe(404)
      expect(response.json().code).toBe('route_not_found')
    },
  )

  it.for([
    { range: 'bytes=99999999-' },
    { 'if-match': '"x"' },
    { 'if-unmodified-since': new Date(0).toUTCString() },
  ])('sends a whole asset in spite of the request headers %j', async (headers, { usher }) => {
    const response = await usher.app.inject({ url: '/docs/swagger-ui.css', headers })
    expect(response.statusCode).toBe(200)
    expect(Number(response.headers['content-length'])).toBe(Buffer.byteLength(response.body))
  })

  it('redirects / to /docs only for browsers', async ({ usher }) => {
    const response = await usher.inject({ url: '/', headers: browser })
    expect([response.statusCode, response.headers.location]).toEqual([302, 'docs'])
    expect((await usher.inject({ url: '/' })).json().code).toBe('route_not_found')
  })
})

describe('DOCS=off', () => {
  it.for(['/docs', '/docs/', '/docs/swagger-ui.css', '/', '/management/docs'])(
    'returns 404 on %s when DOCS=off',
    async (url, { store }) => {
      const withoutDocs = await startApp(store, { DOCS: 'off' })
      const response = await withoutDocs.inject({ url, headers: browser })
      expect([response.statusCode, response.json().code]).toEqual([404, 'route_not_found'])
      await withoutDocs.close()
    },
  )

  it('serves the OpenAPI document and problem pages without links when DOCS=off', async ({ store }) => {
    const withoutDocs = await startApp(store, { DOCS: 'off' })
    const get = (url: string) => withoutDocs.send({ method: 'GET', url, headers: browser })
    expect((await get('/openapi.json')).json().openapi).toMatch(/^3\.1/)
    const page = await get('/problems/email_taken')
    expect(page.statusCode).toBe(200)
    expect(page.body).not.toContain('href')
    await withoutDocs.close()
  })
})
