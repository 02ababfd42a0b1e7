// Writes what `require` of the SDK and the verifier gets: a file per entry that requires the ES module, and types. Under
// `module: node16`, TypeScript reads a declaration in a package of ES modules as CommonJS only if it ends with .d.cts.
import { readFileSync, writeFileSync } from 'node:fs'

const importsOf = /(?<=from '|import\(")\.\/([\w-]+)\.js(?=['"])/g

for (const folder of ['sdk', 'verify']) {
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const entries = Object.values(exports).flatMap(
    (entry) => entry.require?.default.match(/[\w-]+(?=\.cjs$)/) ?? [],
  )
  for (const name of entries) {
    writeFileSync(`${folder}/dist/${name}.cjs`, `module.exports = require('./${name}.js')\n`)
  }
  const modules = new Set(entries)
  // A set also visits what is added during the loop.
  for (const name of modules) {
    const types = readFileSync(`${folder}/dist/${name}.d.ts`, 'utf8')
    for (const [, imported] of types.matchAll(importsOf)) modules.add(imported)
    writeFileSync(`${folder}/dist/${name}.d.cts`, types.replace(importsOf, './$1.cjs'))
  }
}
