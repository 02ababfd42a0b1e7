import { createHash } from 'node:crypto'
import { type AnyProblemCode, contract, everyProblem, isProblemCode, type ProblemType } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { prefersHtml } from '../negotiation.js'

/**
 * Serves problem types as JSON or, to browsers, as HTML. A plain Fastify route, because ts-rest supports only one media
 * type per status.
 *
 * @param docs whether the page links to the API reference
 */
export function problemTypeRoute(app: FastifyInstance, docs: boolean) {
  app.get<{ Params: { code: string } }>(contract.service.getProblemType.path, async (request, reply) => {
    const { code } = request.params
    const isPage = prefersHtml(request, reply)
    if (isPage) {
      reply.type('text/html; charset=utf-8').header('content-security-policy', contentSecurityPolicy)
    }
    if (!isProblemCode(code)) {
      if (!isPage) throw new Problem('route_not_found')
      reply.status(404)
      return page('Unknown problem type', ['No problem has this code.'], docs)
    }
    const { status, title, advice } = everyProblem[code]
    const body: AnyProblemType = { code, status, title, advice }
    return isPage ? problemPage(body, docs) : body
  })
}

type AnyProblemType = Omit<ProblemType, 'code'> & { code: AnyProblemCode }

const problemPage = ({ code, status, title, advice }: AnyProblemType, docs: boolean) => {
  const formatted = advice.replace(/`([^`]+)`/g, '<code>$1</code>')
  return page(title, [`<code>${code}</code>, HTTP status ${status}`, formatted], docs)
}

/** The colors are explicit, so that accessibility checkers can compute the contrast in both color schemes. */
const style =
  ':root{color-scheme:light dark;background:Canvas;color:CanvasText}' +
  'body{max-width:40rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}'

const styleHash = createHash('sha256').update(style).digest('base64')
const contentSecurityPolicy = `default-src 'none';style-src 'sha256-${styleHash}';frame-ancestors 'none'`

/** Returns an HTML page. It contains nothing from a request, so nothing is escaped. */
const page = (title: string, paragraphs: string[], docs: boolean) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
${docs ? '<p><a href="../docs">API reference</a></p>\n' : ''}</main>
</body>
</html>
`
