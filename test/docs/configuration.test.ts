import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Environment, secretVariables } from '../../server/environment.js'

const text = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
const rows = [...text.matchAll(/^\| `([A-Z0-9_]+)` \| (.*?) \| (.*?) \| .* \|$/gm)].map(
  ([, name = '', fallback, values]) => ({ name, fallback, values }),
)
const files = secretVariables.map((name) => `${name}_FILE`)
const { properties = {} } = z.toJSONSchema(Environment, { unrepresentable: 'any' })

/** Its default is the number of cores. */
const dependsOnMachine = 'HASH_CONCURRENCY'

it('docs/configuration.md lists exactly the existing settings', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual([...Object.keys(Environment.shape), ...files].sort())
})

it.each(rows.filter(({ name }) => !files.includes(name)))(
  'docs/configuration.md has the default and the range of $name',
  ({ name, fallback, values }) => {
    const property = properties[name]
    if (typeof property !== 'object') throw new Error(`${name} has no schema`)
    if (property.default !== undefined && name !== dependsOnMachine) {
      expect(fallback).toBe(`\`${[property.default].flat().join()}\``)
    } else expect(fallback).not.toMatch(/^`\w+`$/)
    if (property.minimum !== undefined) expect(values).toBe(`${property.minimum} to ${property.maximum}`)
    if (property.enum) expect(values).toBe(property.enum.map((value) => `\`${value}\``).join(', '))
  },
)
