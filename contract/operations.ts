import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures, ProblemCode } from './problems.js'

const c = initContract()

/** Answer of the health and readiness checks. */
export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

/** A kind of problem: what the `type` of a problem leads to. */
export const ProblemType = z
  .object({
    code: ProblemCode,
    status: z.int(),
    title: z.string(),
    advice: z.string().meta({ description: 'What a client should do about it.' }),
  })
  .meta({ id: 'ProblemType' })
export type ProblemType = z.infer<typeof ProblemType>

export const operations = c.router({
  health: {
    method: 'GET',
    path: '/healthz',
    responses: { 200: Health, ...failures() },
    summary: 'Is the process alive',
    description: 'Touches nothing but the process itself.',
  },
  readiness: {
    method: 'GET',
    path: '/readyz',
    responses: { 200: Health, ...failures('unavailable') },
    summary: 'Can the service answer requests',
    description: 'The store answers and has every migration.',
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    responses: {
      200: z.looseObject({ openapi: z.string().meta({ examples: ['3.1.0'] }) }),
      ...failures(),
    },
    summary: 'This document',
    description: 'The OpenAPI document of the API, with the address of this server.',
  },
  problemType: {
    method: 'GET',
    path: '/problems/:code',
    pathParams: z.object({ code: ProblemCode }),
    responses: { 200: ProblemType, ...failures('route_not_found') },
    summary: 'What a problem means',
    description: 'As a page for a browser (Accept: text/html).',
    metadata: { html: true },
  },
})
