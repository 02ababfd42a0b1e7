import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { version } from '../../version.js'
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

const paths = ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/*', '/docs/static/theme/*']

/**
 * Serves the API reference with all its assets under /docs, and redirects browsers from / to it. The application that
 * renders it is built at the first request, because it would take a sixth of the time of a start.
 */
export function referenceRoutes(app: FastifyInstance, baseUrl: string) {
  let reference: Promise<FastifyInstance> | undefined
  async function serve({ method, headers, params, routeOptions }: FastifyRequest, reply: FastifyReply) {
    const { '*': name } = params as { '*'?: string }
    if (name !== undefined && !assetName.test(name)) throw new Problem('route_not_found')
    const url = String(routeOptions.url).replace('*', name ?? '')
    reference ??= buildReference(baseUrl)
    const known = headers['if-none-match']
    const response = await (await reference).inject({
      method: method as 'GET' | 'HEAD',
      url,
      ...(known && { headers: { 'if-none-match': known } }),
    })
    if (response.statusCode === 404) throw new Problem('route_not_found')
    const { connection: _connection, date: _date, ...others } = response.headers
    return reply
      .status(response.statusCode)
      .headers({ ...others, 'content-security-policy': contentSecurityPolicy })
      .send(response.rawPayload)
  }
  for (const path of paths) app.get(path, serve)
  app.get('/', (request, reply) => {
    if (!prefersHtml(request, reply)) throw new Problem('route_not_found')
    return reply.redirect('docs')
  })
}

async function buildReference(baseUrl: string) {
  const [{ openApiDocument }, { default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@usher/contract/openapi'),
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const servers = [{ url: '../', description: 'This server' }]
  // The plugin's types know OpenAPI 3.0 only; the page renders 3.1.
  const specification = { document: { ...openApiDocument(baseUrl, version), servers } as never }
  const app = fastify()
  await app.register(swagger, { mode: 'static', specification })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: {
      title: 'Usher API',
      css: [{ filename: 'theme.css', content: themeStyles }],
      js: [{ filename: 'theme.js', content: themeScript }],
    },
    // Without the top bar, because the policy rejects the inline styles of its logo.
    uiConfig: { tryItOutEnabled: true, layout: 'BaseLayout' },
  })
  return app
}
