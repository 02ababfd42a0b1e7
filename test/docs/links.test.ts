import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns the Markdown files of a folder, except installed and generated ones. */
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return /^(\..*|node_modules|dist|generated)$/.test(entry.name) ? [] : markdownIn(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
const documents = markdownIn('.')

/** The Markdown of a document without its code blocks, which may look like headings and links. */
const read = (file: string) => readFileSync(join(root, file), 'utf8').replace(/^```.*?^```$/gms, '')

/** Returns the anchors that GitHub creates for the headings of a document. */
const anchorsOf = (file: string) =>
  [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Returns why a relative link is broken, or undefined. */
function brokenLink(document: string, link: string) {
  const [path = '', anchor] = link.split('#', 2)
  const target = path === '' ? document : relative(root, join(root, dirname(document), path))
  if (!existsSync(join(root, target))) return `${document}: ${link}: no such file`
  if (anchor !== undefined && !anchorsOf(target).includes(anchor))
    return `${document}: ${link}: no such anchor`
  return undefined
}

it.each(documents)('%s has relative links that resolve', (document) => {
  const links = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const relativeLinks = links.filter((link) => !/^[a-z]+:|^\{\{/.test(link))
  expect(relativeLinks.flatMap((link) => brokenLink(document, link) ?? [])).toEqual([])
})

it('every document of docs/ is linked by docs/README.md or the README.md of its folder', () => {
  const isLinkedBy = (index: string, file: string) =>
    existsSync(join(root, index)) && read(index).includes(`](${relative(dirname(index), file)})`)
  const guides = documents.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md')
  expect(guides.length).toBeGreaterThan(0)
  const indexes = (file: string) => ['docs/README.md', join(dirname(file), 'README.md')]
  expect(guides.filter((file) => !indexes(file).some((index) => isLinkedBy(index, file)))).toEqual([])
})

it('no document runs npx usher, which is the package of others on npm', () => {
  const texts = documents.map((file) =>
    readFileSync(join(root, file), 'utf8').replace('not run `npx usher`', ''),
  )
  expect(texts.flatMap((text) => text.match(/.*npx\s+usher.*/g) ?? [])).toEqual([])
})

it('README has at most 150 lines', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

it('documents name only files that exist', () => {
  const named =
    /(?<![\w./-])(?:contract|docs|prisma|scripts|sdk|server|test)\/[\w./-]*\.(?:ts|js|json|md|prisma)\b/g
  const missing = documents.flatMap((document) =>
    [...read(document).matchAll(named)]
      .map(([path]) => path)
      .filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(document), path)))
      .map((path) => `${document}: ${path}`),
  )
  expect(missing).toEqual([])
})
