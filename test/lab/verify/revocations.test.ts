import { spawnSync } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testRevocationRecipe } from '../../verify/revocation-recipes.js'
import { runCommand } from './recipes.js'

await testRevocationRecipe({
  language: 'Go',
  file: 'revocations.go',
  isInstalled: spawnSync('go', ['version']).status === 0,
  shorter: {
    stale: ['30 * time.Second', '2 * time.Second'],
    failure: ['500+rand.IntN(4500)', '50+rand.IntN(50)'],
    pause: ['60 * time.Second', 'time.Second'],
  },
  feed: /(?<=feed += ").*(?=")/,
  async build(folder, code) {
    await cp(fileURLToPath(new URL('revocations', import.meta.url)), folder, { recursive: true })
    await writeFile(join(folder, 'revocations.go'), code)
    await runCommand(['go', 'build', '-o', 'recipe', '.'], folder)
    return [join(folder, 'recipe')]
  },
})
