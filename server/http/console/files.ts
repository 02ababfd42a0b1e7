import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { requireConsole } from '../console-access.js'
import { type KeptBody, keepBody, sendKept } from '../kept-body.js'
import { ownFilesPolicy } from '../security-headers.js'

const contentSecurityPolicy = [
  ...ownFilesPolicy,
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';')

/** What the build of the console writes. */
const folder = join(
  dirname(createRequire(import.meta.url).resolve('@usher/server/package.json')),
  'dist/console',
)

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}

/** Names of files, with at most one folder. They cannot leave the folder of the console. */
const fileName = /^(?:[\w-]+\/)?[\w-][\w.-]*\.(css|html|js|svg|txt)$/

/** Files whose names have a hash of their content. */
const hashed = /^assets\//

/** Serves the files of the console. Every other path is a screen, for which the page decides what it shows. */
export function consoleFiles(app: FastifyInstance) {
  const kept = new Map<string, Promise<KeptBody>>()
  /** Reads a file at its first request, because most servers never serve the console. */
  function read(file: string) {
    const found =
      kept.get(file) ?? readFile(join(folder, file)).then((bytes) => keepBody(bytes, typeOf(file)))
    // A failed read is not kept, so that names of missing files take no memory.
    kept.set(file, found)
    return found.catch((cause) => {
      kept.delete(file)
      throw new Problem('route_not_found', { cause })
    })
  }
  async function send(request: FastifyRequest, reply: FastifyReply, file: string) {
    requireConsole(request)
    const body = await read(file)
    reply.headers({
      'cache-control': hashed.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': contentSecurityPolicy,
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    return sendKept(request, reply, body)
  }
  app.get('/console', (request, reply) => send(request, reply, 'index.html'))
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const { '*': path } = request.params
    return send(request, reply, fileName.test(path) ? path : 'index.html')
  })
}

const typeOf = (file: string) => types[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
