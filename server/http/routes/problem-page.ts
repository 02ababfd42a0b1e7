import { contract, isProblemCode, type ProblemCode, type ProblemType, problems } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { htmlPage, pageHeaders } from '../html-page.js'
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
    if (isPage) reply.headers(pageHeaders)
    if (!isProblemCode(code)) {
      if (!isPage) throw new Problem('route_not_found')
      reply.status(404)
      return htmlPage('Unknown problem type', ['No problem has this code.', ...links(docs)])
    }
    const { status, title, advice } = problems[code]
    const body: AnyProblemType = { code, status, title, advice }
    return isPage ? problemPage(body, docs) : body
  })
}

type AnyProblemType = Omit<ProblemType, 'code'> & { code: ProblemCode }

const problemPage = ({ code, status, title, advice }: AnyProblemType, docs: boolean) => {
  const formatted = advice.replace(/`([^`]+)`/g, '<code>$1</code>')
  return htmlPage(title, [`<code>${code}</code>, HTTP status ${status}`, formatted, ...links(docs)])
}

const links = (docs: boolean) => (docs ? ['<a href="../docs">API reference</a>'] : [])
