import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createConfig } from '@redocly/openapi-core'
import { run } from '@redocly/respect-core'
import { expect } from 'vitest'
import { it } from '../support/api.js'
import { validUser } from '../support/app.js'

const file = fileURLToPath(new URL('../../contract/arazzo.json', import.meta.url))

it('runs the workflow of contract/arazzo.json: sign up, log in, get the current user', async ({
  origin,
  database: { workspaceSlug, databaseName },
}) => {
  const printed: string[] = []
  const log = (text = '') => void printed.push(text)
  const [result] = await run({
    files: [file],
    input: JSON.stringify({ workspaceSlug, databaseName, ...validUser({ newTenant: 'Engines' }) }),
    server: `usher=${origin}`,
    config: await createConfig({}),
    maxSteps: 10,
    maxFetchTimeout: 10_000,
    fetch: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request)
      printed.push(`${response.status} ${await response.clone().text()}\n`)
      return response
    },
    logger: {
      output: log,
      info: log,
      warn: log,
      error: log,
      printNewLine: log,
      printSeparator: log,
      indent: String,
    },
    requestFileLoader: { getFileBody: async (path) => new Blob([await readFile(path, 'utf8')]) },
  })
  expect(result?.hasProblems, printed.join('')).toBe(false)
  expect(result?.hasWarnings, printed.join('')).toBe(false)
  const steps = result?.executedWorkflows.flatMap(({ executedSteps }) => executedSteps)
  expect(steps?.map((step) => 'stepId' in step && step.stepId)).toEqual(['signUp', 'logIn', 'getMe'])
})
