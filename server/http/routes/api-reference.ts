import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { prefersHtml } from '../prefers-html.js'
import { themeScript, themeStyles } from './api-reference-theme.js'

/** Allows only scripts, styles and requests of this server. */
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

/** Names of assets. Other names, such as encoded or relative ones, never reach the file system. */
const assetName = /^(?=.{1,100}$)[\w-]+(\.[\w-]+)*$/

/** Not supported for assets, which are small and have an ETag. */
const ignoredHeaders = ['range', 'if-range', 'if-match', 'if-unmodified-since']

/** Serves the API reference with all its assets under /docs, and redirects browsers from / to it. */
export function referenceRoutes(app: FastifyInstance, document: object) {
  app.register(async (scope) => {
    const servers = [{ url: '../', description: 'This server' }]
    // The plugin's types know OpenAPI 3.0 only; the page renders 3.1.
    const specification = { document: { ...document, servers } as never }
    await scope.register(swagger, { mode: 'static', specification })
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      theme: {
        title: 'Usher API',
        css: [{ filename: 'theme.css', content: themeStyles }],
        js: [{ filename: 'theme.js', content: themeScript }],
      },
      // Without the top bar, because the policy rejects the inline styles of its logo.
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
    if (!prefersHtml(request, reply)) throw new Problem('route_not_found')
    return reply.redirect('docs')
  })
}
