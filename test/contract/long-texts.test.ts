import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract } from '@usher/contract'
import { managementContract, UserLine } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { settings } from '@usher/contract/settings'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describeConnection } from '../../server/domain/connections/connection.js'
import { canonicalPassword } from '../../server/domain/passwords/normalize.js'
import { passwordErrors } from '../../server/domain/passwords/policy.js'
import { requireUrl } from '../../server/domain/providers/provider-fetch.js'

/** UTF-16 units of which normalization, and parsing as a URL, takes about a millisecond. Both take quadratic time. */
const most = 2_100

/** Combining marks in an order that normalization changes, as many as the largest body has. */
const marks = `a${'\u0301'.repeat(4_000)}${'\u0323'.repeat(4_000)}`

/** Returns the longest text that was normalized or parsed as a URL while a function ran. */
async function longestWithin(run: () => unknown) {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  const canParse = vi.spyOn(URL, 'canParse')
  try {
    await run()
    const texts = [...normalize.mock.contexts, ...canParse.mock.calls.map(([text]) => text)]
    return Math.max(0, ...texts.map((text) => String(text).length))
  } finally {
    vi.restoreAllMocks()
  }
}

/** Returns a value of a schema in which each text is of many marks. */
function longValue(schema: unknown): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([name, each]) => [name, longValue(each)]))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return longValue(schema.def.innerType)
  if (schema instanceof z.ZodPipe) return longValue(schema.def.in)
  if (schema instanceof z.ZodArray) return [longValue(schema.element)]
  if (schema instanceof z.ZodRecord) return { [marks]: longValue(schema.valueType) }
  if (schema instanceof z.ZodUnion) return longValue(schema.options[0])
  return marks
}

const routesOf = (api: AppRouter): [string, AppRoute][] =>
  Object.entries(api).flatMap(([name, each]) => (isAppRoute(each) ? [[name, each]] : routesOf(each)))

const schemas = new Map<string, unknown>([
  ...[contract, managementContract, operatorContract].flatMap(routesOf).flatMap(([name, route]) =>
    ['pathParams', 'query', 'headers', 'body'].flatMap((part) => {
      const schema = route[part as keyof AppRoute]
      return schema instanceof z.ZodType ? [[`${part} of ${name}`, schema] as const] : []
    }),
  ),
  ['a line of an import', UserLine],
  ...Object.entries(settings).map(([name, { schema }]) => [`the setting ${name}`, schema] as const),
])

it('no text of a request is normalized or parsed as a URL before its length is checked', async () => {
  const long: string[] = []
  for (const [name, schema] of schemas) {
    const value = longValue(schema)
    if ((await longestWithin(() => (schema as z.ZodType).safeParse(value))) > most) long.push(name)
  }
  expect(long).toEqual([])
})

it('the rules of passwords and providers normalize and parse no long text', async () => {
  const candidate = { password: marks, email: marks, field: 'password' as const }
  const connection = { name: 'a', preset: 'oidc', clientId: 'a', issuer: `https://${marks}.example` }
  for (const rule of [
    () => canonicalPassword(marks),
    () => passwordErrors(undefined, { passwordPolicy: 'standard' }, candidate),
    () =>
      passwordErrors(undefined, { passwordPolicy: 'none' }, { ...candidate, password: 'a long password' }),
    () =>
      passwordErrors(undefined, { passwordPolicy: 'standard' }, { ...candidate, password: 'long password' }),
    () => describeConnection(connection),
    () => requireUrl(connection.issuer, []),
  ])
    expect(await longestWithin(async () => rule()).catch(() => 0)).toBeLessThan(most)
})

it('finds a text that is normalized before its length is checked', async () => {
  const schema = z.object({ name: z.string().normalize('NFC').max(10).nullish() })
  expect(await longestWithin(() => schema.safeParse(longValue(schema)))).toBeGreaterThan(most)
})
