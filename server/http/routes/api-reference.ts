import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../domain/problem.js'

/** Scripts and styles of our own alone, requests to this server alone. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join(';')

/** What an asset is called; other names, encoded, climbing or overlong, never reach the file system. */
const assetName = /^(?=.{1,100}$)[\w-]+(\.[\w-]+)*$/

/** Conditions that assets are not subject to: each is small, and sent whole or, by its ETag, not at all. */
const ignoredHeaders = ['range', 'if-range', 'if-match', 'if-unmodified-since']

/** The API reference on /docs, with every asset served from here; / leads a browser there. */
export function referenceRoutes(app: FastifyInstance, document: object) {
  app.register(async (scope) => {
    const servers = [{ url: '../', description: 'This server' }]
    // The plugin's types stop at OpenAPI 3.0; the page itself renders 3.1.
    const specification = { document: { ...document, servers } as never }
    await scope.register(swagger, { mode: 'static', specification })
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      theme: { title: 'Usher API' },
      // Without the top bar: its logo is styled inline, and our policy lets it explore no other document.
      uiConfig: { tryItOutEnabled: true, layout: 'BaseLayout' },
    })
    scope.addHook('onRequest', async ({ headers, params }) => {
      const { '*': name } = params as { '*'?: string }
      if (name !== undefined && !assetName.test(name)) throw new Problem('route_not_found')
      for (const header of ignoredHeaders) delete headers[header]
    })
    scope.addHook('onSend', async (_request, reply) => {
      reply.header('Content-Security-Policy', contentSecurityPolicy)
    })
  })
  app.get('/', (request, reply) => {
    if (!prefersHtml(request.headers.accept)) throw new Problem('route_not_found')
    return reply.redirect('docs')
  })
}

/** Whether the client is a browser that goes to a page. */
export const prefersHtml = (accept: string | undefined) => accept?.includes('text/html') ?? false
