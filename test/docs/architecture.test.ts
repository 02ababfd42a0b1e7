import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Returns a file without its comments. */
const codeOf = (file: string) => read(file).replace(/\/\*.*?\*\/|\/\/.*$/gms, '')

/** Returns the part of the diagram that a file belongs to, or undefined for config and version. */
function partOf(file: string) {
  const path = relative('server', file)
  if (/^domain\/(management|operators)\//.test(path)) return 'management'
  return path.match(/^[^./]+(?=\/)|^index(?=\.[jt]s$)/)?.[0]
}

const files = (readdirSync(join(root, 'server'), { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts') && !/^dist|node_modules|generated/.test(name))
  .map((name) => join('server', name))
const parts = [...new Set(files.flatMap((file) => partOf(file) ?? []))]

/** Imports from one part into another, or into the contract: `from to`. */
const imports = new Set(
  files.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import\() ?'(\.[^']*|@usher\/contract)/g)].flatMap(([, target = '']) => {
      const from = partOf(file)
      const to = target.startsWith('.') ? partOf(join(dirname(file), target)) : 'contract'
      return from && to && from !== to ? [`${from} ${to}`] : []
    }),
  ),
)

const diagram = read('docs/architecture.md').match(/```mermaid\n(.*?)```/s)?.[1] ?? ''
const arrows = [...diagram.matchAll(/^ +(\w+) --> (\w+)$/gm)].map(([, from = '', to = '']) => ({ from, to }))

/** Returns whether a path of arrows leads from one part to another. */
const leads = (from: string, to: string): boolean =>
  arrows.some((arrow) => arrow.from === from && (arrow.to === to || leads(arrow.to, to)))

it('the diagram of docs/architecture.md has exactly the parts of the server', () => {
  const names = [...diagram.matchAll(/^ +(\w+)\[/gm)].map(([, name]) => name)
  expect(names.sort()).toEqual([...parts, 'contract'].sort())
})

it('every import between parts of the server follows the arrows of docs/architecture.md', () => {
  expect([...imports].filter((each) => !leads(each.split(' ')[0] ?? '', each.split(' ')[1] ?? ''))).toEqual(
    [],
  )
})

it('every arrow of docs/architecture.md is an import, and there is no cycle', () => {
  expect(arrows.length).toBeGreaterThan(0)
  expect(arrows.filter(({ from, to }) => !imports.has(`${from} ${to}`))).toEqual([])
  expect(arrows.filter(({ from, to }) => leads(to, from))).toEqual([])
})

it.each(['sdk', 'verify', 'contract'])('the files of %s/ import each other without a circle', (folder) => {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.ts'))
  const importsOf = new Map(
    files.map((file) => [
      file,
      [...read(join(folder, file)).matchAll(/ from '\.\/([^']+)\.js'/g)].map(([, name]) => `${name}.ts`),
    ]),
  )
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (importsOf.get(from) ?? []).some((next) => {
      if (next === to) return true
      if (seen.has(next)) return false
      seen.add(next)
      return reaches(next, to, seen)
    })
  expect([...importsOf.values()].flat().length).toBeGreaterThan(1)
  expect(files.filter((file) => reaches(file, file))).toEqual([])
})

it('server/README.md lists every folder of server/', () => {
  const folders = readdirSync(join(root, 'server'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['.cache', 'dist', 'node_modules'].includes(entry.name))
    .map(({ name }) => name)
  const named = [...read('server/README.md').matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name]) => name)
  expect(named.sort()).toEqual(folders.sort())
})

it('only store/ uses Prisma, and no statement on the path of a request does', () => {
  const mayUse = /^server\/store\/(?!queries\/[^/]+$)/
  const usesPrisma = (file: string) => /\b(load)?Prisma\b|\bprisma\./.test(codeOf(file))
  expect(files.some(usesPrisma)).toBe(true)
  expect(files.filter((file) => !mayUse.test(file) && usesPrisma(file))).toEqual([])
})

it('tokens are made only where a login completes and where a session continues', () => {
  const makers = files.filter((file) => /import \{[^}]*\bissueToken\b/.test(read(file)))
  expect(makers.sort()).toEqual([
    'server/domain/sessions/session-tokens.ts',
    'server/domain/tokens/complete-login.ts',
  ])
})

it('code of a noun of the domain imports only nouns before it in docs/architecture.md', () => {
  const [, list = ''] = read('docs/architecture.md').split('## The nouns of the domain')
  const ranks = new Map(
    [...list.matchAll(/^(\d+)\. (.*)/gm)].flatMap(([, rank, text = '']) =>
      [...text.matchAll(/`([\w-]+)`/g)].map(([, noun = '']) => [noun, Number(rank)] as const),
    ),
  )
  const nounOf = (file: string) => file.match(/^server\/domain\/([\w-]+)/)?.[1]
  const nouns = new Set(files.flatMap((file) => nounOf(file) ?? []))
  expect([...ranks.keys()].sort()).toEqual([...nouns].sort())
  const later = files.flatMap((file) => {
    const from = nounOf(file)
    return valueImportsOf(file)
      .filter((target) => {
        const to = nounOf(target)
        return from && to && from !== to && (ranks.get(to) ?? 0) >= (ranks.get(from) ?? 0)
      })
      .map((target) => `${file} imports ${target}`)
  })
  expect(later).toEqual([])
})

/** Returns the files from which a file imports more than types. */
const valueImportsOf = (file: string) =>
  [...read(file).matchAll(/^import (?!type )([^']*?) from '(\.[^']*)'/gm)].flatMap(
    ([, names = '', target = '']) =>
      /^\{(\s*type [^,}]*,?)*\s*\}$/.test(names) ? [] : [join(dirname(file), target)],
  )
