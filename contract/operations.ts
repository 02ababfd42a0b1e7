import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from './problems.js'

const c = initContract()

/** Answer of the health and readiness checks. */
export const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' })

export const operations = c.router({
  health: {
    method: 'GET',
    path: '/healthz',
    responses: { 200: Health, ...failures('internal_error') },
    summary: 'Is the process alive',
    description: 'Touches nothing but the process itself.',
  },
  readiness: {
    method: 'GET',
    path: '/readyz',
    responses: { 200: Health, ...failures('internal_error', 'unavailable') },
    summary: 'Can the service answer requests',
    description: 'The store answers and has every migration.',
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    responses: {
      200: z.looseObject({ openapi: z.string().meta({ examples: ['3.1.0'] }) }),
      ...failures('internal_error'),
    },
    summary: 'This document',
  },
})
