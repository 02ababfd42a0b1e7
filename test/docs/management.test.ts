import type { AppRoute } from '@ts-rest/core'
import { managementContract } from '@usher/contract/management'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { helpOf } from './command-help.js'
import { exceptions, pairs } from './two-doors.js'

const routes = new Map<string, AppRoute>(
  Object.values(managementContract).flatMap((group) => Object.entries(group)),
)
const commands = new Map(
  (await helpOf()).map(({ usage, options }) => {
    const [, name = '', rest = ''] = /^usher ([a-z -]+[a-z])(.*)$/.exec(usage) ?? []
    const flags = [...options.keys()].map((each) => /--[a-z-]+/.exec(each)?.[0] ?? '')
    return [name, [...flags, ...(rest.match(/<[^>]+>/g) ?? [])]] as const
  }),
)

/** What a page, a confirmation, and the database or the row of a path are on the command line. */
const commonOptions = ['--help', '--json', '--limit', '--after', '--yes']
const commonArguments = ['<workspace/name>', '<user>', '<tenant>', '<invitation>']

function fieldsOf(route: AppRoute) {
  const schemas = [route.query, 'body' in route ? route.body : undefined].map((schema) =>
    schema instanceof z.ZodOptional ? schema.unwrap() : schema,
  )
  return schemas
    .flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []))
    .filter((name) => name !== 'limit' && name !== 'after')
}

it('docs/management.md has every operation and every command once', () => {
  const named = [
    ...pairs.flatMap(({ operations, commands }) => [...operations, ...commands]),
    ...exceptions.flatMap(({ names }) => names),
  ]
  expect(named.toSorted()).toEqual([...routes.keys(), ...commands.keys()].toSorted())
})

it.each(pairs)('docs/management.md has each difference of $operations and $commands', (pair) => {
  const fields = pair.operations.flatMap((name) => fieldsOf(routes.get(name) as AppRoute))
  expect(pair.fields.toSorted()).toEqual([...new Set(fields)].toSorted())
  const options = pair.commands
    .flatMap((name) => commands.get(name) ?? [])
    .filter((each) => !commonOptions.includes(each) && !commonArguments.includes(each))
  expect(pair.options.toSorted()).toEqual([...new Set(options)].toSorted())
})

it('docs/management.md says why one of them cannot do what the other can', () => {
  const unexplained = [...exceptions, ...pairs.filter(({ differs }) => differs)].filter(({ why }) => !why)
  expect(unexplained).toEqual([])
})
