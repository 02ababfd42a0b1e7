import { contract, ProblemCode, type ProblemType, problems } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { prefersHtml } from '../prefers-html.js'

/**
 * Serves problem types as JSON or, to browsers, as HTML. A plain Fastify route: ts-rest knows one media type per
 * status.
 *
 * @param docs whether the page links to the API reference
 */
export function problemTypeRoute(app: FastifyInstance, docs: boolean) {
  app.get<{ Params: { code: string } }>(contract.operations.getProblemType.path, async (request, reply) => {
    const { data: code } = ProblemCode.safeParse(request.params.code)
    if (!code) throw new Problem('route_not_found')
    const { status, title, advice } = problems[code]
    const body: ProblemType = { code, status, title, advice }
    if (!prefersHtml(request.headers.accept)) return body
    reply.type('text/html; charset=utf-8')
    return problemPage(body, docs)
  })
}

/** Nothing in the page comes from a request. */
const problemPage = ({ code, status, title, advice }: ProblemType, docs: boolean) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p><code>${code}</code>, HTTP status ${status}</p>
<p>${advice}</p>
${docs ? '<p><a href="../docs">API reference</a></p>\n' : ''}</body>
</html>
`
