import { expect } from 'vitest'
import type { SigningAlgorithm } from '../../../server/store/generated/enums.js'
import { makeAttacks } from '../../verify/attacks.js'
import { it } from '../../verify/live.js'
import { report } from '../form.js'
import { installRecipe, recipes } from './recipes.js'

/** Recipes whose library cannot verify EdDSA. */
const withoutEdDsa = ['Java with Nimbus', 'Java with Spring Security']

it.for(recipes)(
  'the recipe $heading accepts tokens of each algorithm, and refuses every attack on them',
  async (recipe, { usher, origin, clock, skip, onTestFinished }) => {
    // Programs in other languages have the time of the machine.
    clock.now = Date.now()
    const installed = await installRecipe(recipe).catch((error) => skip(`${recipe.heading}: ${error}`))
    onTestFinished(installed.remove)
    for (const algorithm of ['ES256', 'RS256', 'EdDSA'] as const satisfies SigningAlgorithm[]) {
      const { database, valid, attacks, claims, sign } = await makeAttacks(usher, algorithm)
      expect(claims.iss).toBe(`${origin}${database.users.replace('/users', '')}`)
      // Of a server whose clock is ahead.
      const ahead = sign({ iat: claims.iat + 20 })
      const tokens = [valid, ahead, ...Object.values(attacks)]
      const [first, second, ...lines] = await installed.verify(claims.iss, tokens)
      const isKnown = algorithm !== 'EdDSA' || !withoutEdDsa.includes(recipe.heading)
      const expected = isKnown ? `accepted ${claims.sub}` : expect.stringMatching(/^refused /)
      expect([first, second]).toEqual([expected, expected])
      const accepted = Object.keys(attacks).filter((_, index) => !lines[index]?.startsWith('refused '))
      expect(accepted, `accepted by ${recipe.heading}`).toEqual([])
      report(
        `${recipe.heading}, ${algorithm}: valid ${first?.split(' ', 1)}, ${lines.length} attacks refused`,
      )
    }
  },
)

it('Nimbus does not verify EdDSA even if it is allowed', async ({
  usher,
  origin,
  clock,
  skip,
  onTestFinished,
}) => {
  clock.now = Date.now()
  const recipe = recipes.find(({ folder }) => folder === 'java-nimbus')
  if (!recipe) throw new Error('no recipe for Nimbus')
  const installed = await installRecipe(recipe).catch((error) => skip(`${recipe.heading}: ${error}`))
  onTestFinished(installed.remove)
  const { valid, claims } = await makeAttacks(usher, 'EdDSA')
  expect(claims.iss.startsWith(origin)).toBe(true)
  const allowEdDsa = (code: string) => code.replace('JWSAlgorithm.RS256', 'JWSAlgorithm.EdDSA')
  const [line] = await installed.verify(claims.iss, [valid], allowEdDsa)
  report(`Java with Nimbus, EdDSA allowed: ${line}`)
  expect(line).toMatch(/^refused .*(EdDSA|Ed25519|verifier|matching)/)
})
