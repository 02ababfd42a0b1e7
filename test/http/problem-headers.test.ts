import { ProblemCode, type ProblemHeader, problemHeaders, problems } from '@usher/contract'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { Problem } from '../../server/domain/problem.js'
import { createErrorHandler } from '../../server/http/problem-details.js'

const headers: readonly ProblemHeader[] = ['Accept-Encoding', 'Retry-After', 'WWW-Authenticate']

it('sends the headers of the catalogue with each problem, and no others', async () => {
  const app = fastify().setErrorHandler(createErrorHandler('http://localhost:3000'))
  app.get('/:code', (request) => {
    throw new Problem((request.params as { code: ProblemCode }).code)
  })
  for (const code of ProblemCode.options) {
    const response = await app.inject({ url: `/${code}`, headers: { 'content-encoding': 'gzip' } })
    const sent = headers.filter((name) => response.headers[name.toLowerCase()] !== undefined)
    expect([code, response.statusCode, sent]).toEqual([
      code,
      problems[code].status,
      [...problemHeaders(code)],
    ])
  }
})
