import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { type KeptBody, keepBody, sendKept } from '../kept-body.js'
import { prefersHtml } from '../negotiation.js'
import { ownFilesPolicy } from '../security-headers.js'
import { pages, type Reference, referencePage } from './reference-page.js'

const contentSecurityPolicy = ownFilesPolicy.join(';')

/** The files of Swagger UI, without the install script of `swagger-ui-dist`, which reports each installation. */
const swaggerUi = pathToFileURL(
  join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static/'),
)
const ours = new URL('./browser/', import.meta.url)
const folders: Record<string, URL> = {
  'accessibility.js': ours,
  'page.css': ours,
  'page.js': ours,
  'plugin.js': ours,
  'swagger-ui.css': swaggerUi,
  'swagger-ui-bundle.js': swaggerUi,
}

/** Serves the reference of each part of the API with all its assets under /docs or /management/docs. */
export function referenceRoutes(app: FastifyInstance, reference: Reference) {
  const kept: Record<string, Promise<KeptBody>> = {}
  async function send(request: FastifyRequest, reply: FastifyReply, body: Promise<KeptBody>) {
    reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': contentSecurityPolicy })
    return sendKept(request, reply, await body)
  }

  for (const part of reference.parts) {
    const path = `${pages[part].folder}docs`
    app.get(path, (request, reply) => {
      // Loaded at the first request, because the document would take a tenth of the time of a start.
      kept[path] ??= referencePage(reference, part).then((html) => keepBody(html, 'text/html; charset=utf-8'))
      return send(request, reply, kept[path])
    })
    app.get(`${path}/`, (_, reply) => reply.redirect('../docs'))
    for (const [name, folder] of Object.entries(folders))
      app.get(`${path}/${name}`, (request, reply) => {
        kept[name] ??= readFile(new URL(name, folder)).then((bytes) => keepBody(bytes, typeOf(name)))
        return send(request, reply, kept[name])
      })
  }
}

/** Redirects browsers from / to the reference. */
export const redirectToReference = (app: FastifyInstance) =>
  app.get('/', (request, reply) => {
    if (!prefersHtml(request, reply)) throw new Problem('route_not_found')
    return reply.redirect('docs')
  })

const typeOf = (name: string) => `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`
