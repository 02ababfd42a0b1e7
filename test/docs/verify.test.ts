import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { snippetsOf } from '../support/snippets.js'

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
const lab = 'test/lab/verify'
const noRecipes = ['Claims', 'The role in a tenant', 'Sensitive actions']
const recipes = (await snippetsOf('docs/verify.md')).filter(({ heading }) => !noRecipes.includes(heading))

/** Where the package and the version of a recipe come from, as the tests install them. */
const sources: Record<string, { file: string; package: RegExp }> = {
  Node: { file: 'verify/package.json', package: /"version": "(.*?)"/ },
  'Node with jose': { file: 'verify/package.json', package: /"jose": "\D?(.*?)"/ },
  'Python with PyJWT': { file: `${lab}/python/requirements.txt`, package: /(PyJWT\[crypto\]==\S+)/ },
  'Go with jwx': { file: `${lab}/go-jwx/go.mod`, package: /^require .*\/jwx\/v3 v(\S+)/m },
  'Go with go-oidc': { file: `${lab}/go-oidc/go.mod`, package: /^require .*\/go-oidc\/v3 v(\S+)/m },
  'Java with Nimbus': { file: `${lab}/java-nimbus/pom.xml`, package: /jwt<\/artifactId>\s*(<version>.*?<)/ },
  'Java with Spring Security': {
    file: `${lab}/java-spring/pom.xml`,
    package: /jose<\/artifactId>\s*(<version>.*?<)/,
  },
  'Rust with jsonwebtoken': {
    file: `${lab}/rust/Cargo.toml`,
    package: /jsonwebtoken = \{ version = "=(.*?)"/,
  },
}

it('docs/verify.md names the source of every recipe', () => {
  expect([...new Set(recipes.map(({ heading }) => heading))]).toEqual(Object.keys(sources))
})

it.for(Object.entries(sources))(
  'the recipe %s begins with the package and the version that the tests install',
  async ([heading, source]) => {
    const [install] = recipes.filter((each) => each.heading === heading)
    expect(install?.language).toMatch(/^(sh|xml)$/)
    const [, version = 'no version'] = source.package.exec(await read(source.file)) ?? []
    expect(install?.code).toContain(version)
  },
)

it('the install line of the Rust recipe has the features with which it is tested', async () => {
  const manifest = await read(`${lab}/rust/Cargo.toml`)
  const install = recipes.find(({ heading }) => heading === 'Rust with jsonwebtoken')?.code ?? ''
  const features = [...manifest.matchAll(/^(\w+) = \{.*features = \["(.*?)"\]/gm)]
  expect(features).toHaveLength(3)
  for (const [, name, feature] of features)
    expect(install).toMatch(new RegExp(`^cargo add ${name}@.* --features ${feature}\\b`, 'm'))
})
