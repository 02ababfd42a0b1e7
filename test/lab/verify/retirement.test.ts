import { setTimeout as pause } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { password, type TestApi, type TestDatabase } from '../../support/app.js'
import { retireKey, rotateKeys } from '../../support/operator-changes.js'
import { it as liveTest } from '../../verify/live.js'
import { report } from '../form.js'
import { installRecipe, recipes, startNodeRecipe } from './recipes.js'

const email = 'ada@example.com'

/** Seconds from the rotation until the next key signs. Caches of the published keys may be 300 s old. */
const ordinarySeconds = 310
const endSeconds = ordinarySeconds + 10

/** What happens to the keys of a database, and the tokens that are sent to the recipes, by the name of their key. */
interface Story {
  name: 'ordinary rotation' | 'planned retirement' | 'emergency'
  database: TestDatabase
  tokens: Map<string, string>
}

type Started = Awaited<ReturnType<typeof startNodeRecipe>>

/** A recipe that runs, and when it accepted each token for the first and the last time, in seconds. */
interface Running extends Pick<Started, 'verify'> {
  heading: string
  story: Story
  accepted: Map<string, { first: number; last: number }>
}

const it = liveTest
  /** Starts every recipe whose toolchain and packages this machine has, once for each story. */
  .extend('startRecipes', ({ origin }, { onCleanup }) => {
    const cleanups: (() => Promise<unknown>)[] = []
    onCleanup(async () => {
      for (const clean of cleanups.reverse()) await clean()
    })
    return async (all: readonly Story[]): Promise<Running[]> => {
      const running: Running[] = []
      const addAll = async (heading: string, start: (issuer: string) => Promise<Started>) => {
        for (const story of all) {
          const { verify, stop } = await start(`${origin}${story.database.users.replace('/users', '')}`)
          cleanups.push(stop)
          // Its code is loaded then, so that it can be built again for another issuer.
          for (const token of story.tokens.values()) expect(await verify(token)).toMatch(/^accepted /)
          running.push({ heading, story, verify, accepted: new Map() })
        }
      }
      for (const heading of ['Node', 'Node with jose'])
        await addAll(heading, (issuer) => startNodeRecipe(heading, issuer))
      for (const recipe of recipes) {
        const installed = await installRecipe(recipe).catch((error) =>
          report(`${recipe.heading} cannot be installed: ${error}`),
        )
        if (!installed) continue
        cleanups.push(installed.remove)
        await addAll(recipe.heading, installed.start)
      }
      return running
    }
  })
  /** Lets the server have the time of the machine, as programs in other languages do. */
  .extend('ticking', ({ clock }, { onCleanup }) => {
    const tick = () => {
      clock.now = Date.now()
    }
    tick()
    const timer = setInterval(tick, 50)
    onCleanup(() => clearInterval(timer))
    return timer
  })

/** Sends the tokens of each story to its recipes, about once a second. */
function createProbe(running: readonly Running[]) {
  const startedAt = Date.now()
  const seconds = () => (Date.now() - startedAt) / 1000
  const probe = async ({ verify, story, accepted }: Running) => {
    for (const [name, token] of story.tokens) {
      const sent = seconds()
      if (!(await verify(token)).startsWith('accepted ')) continue
      accepted.set(name, { first: accepted.get(name)?.first ?? sent, last: sent })
    }
  }
  return {
    seconds,
    async until(instant: number) {
      do {
        await Promise.all(running.map(probe))
        await pause(1_000)
      } while (seconds() < instant)
    },
  }
}

const logIn = async ({ database, tokens }: Story, name: string) =>
  tokens.set(name, (await database.login({ email, password })).json().token.jwt)

async function createStory(name: Story['name'], usher: TestApi): Promise<Story> {
  const story = { name, database: await usher.newDatabase(), tokens: new Map<string, string>() }
  await story.database.signedUp({ email })
  await logIn(story, 'old key')
  return story
}

const kidOf = ({ tokens }: Story, name: string) => decodeProtectedHeader(tokens.get(name) ?? '').kid ?? ''

/** @param instants when the next key of the ordinary rotation signed, and when keys of the other stories were retired */
function resultOf(
  { heading, story, accepted }: Running,
  instants: { signsSince: number; retiredAt: number },
) {
  const isOrdinary = story.name === 'ordinary rotation'
  const newSince = isOrdinary ? instants.signsSince : instants.retiredAt
  return {
    heading,
    story: story.name,
    /** Seconds until a token of the new key was accepted. */
    newKey: Math.ceil((accepted.get('new key')?.first ?? Number.POSITIVE_INFINITY) - newSince),
    /** Seconds for which the tokens of the retired key were accepted. */
    retiredKey: isOrdinary ? 0 : Math.ceil((accepted.get('old key')?.last ?? 0) - instants.retiredAt),
  }
}

it('each recipe refuses a retired key after 300 s at most, and accepts a key from its first token on', async ({
  usher,
  clock,
  startRecipes,
  ticking: _,
}) => {
  const operation = () => ({ store: usher.store, now: new Date() })
  const [ordinary, planned, emergency] = [
    await createStory('ordinary rotation', usher),
    await createStory('planned retirement', usher),
    await createStory('emergency', usher),
  ]
  // Servers cache keys for 5 s.
  const refreshServer = () => {
    clock.cacheAhead += 6_000
  }
  await rotateKeys(operation(), planned.database, 0)
  refreshServer()
  await logIn(planned, 'new key')

  const running = await startRecipes([ordinary, planned, emergency])
  const probe = createProbe(running)
  await probe.until(5)
  await rotateKeys(operation(), ordinary.database, ordinarySeconds)
  await retireKey(operation(), planned.database, kidOf(planned, 'old key'))
  await rotateKeys(operation(), emergency.database, 0)
  await retireKey(operation(), emergency.database, kidOf(emergency, 'old key'))
  refreshServer()
  const retiredAt = probe.seconds()
  await logIn(emergency, 'new key')
  expect(kidOf(emergency, 'new key')).not.toBe(kidOf(emergency, 'old key'))
  await probe.until(retiredAt + ordinarySeconds + 1)
  const signsSince = probe.seconds()
  await logIn(ordinary, 'new key')
  expect(kidOf(ordinary, 'new key')).not.toBe(kidOf(ordinary, 'old key'))
  await probe.until(retiredAt + endSeconds)

  const results = running.map((each) => resultOf(each, { signsSince, retiredAt }))
  for (const { heading, story, newKey, retiredKey } of results)
    report(
      `${heading}, ${story}: new key after ${Math.max(0, newKey)} s, retired key for ${Math.max(0, retiredKey)} s`,
    )
  const slowest = { 'ordinary rotation': 2, 'planned retirement': 0, emergency: 35 }
  expect(results.filter((each) => each.retiredKey > 300 || each.newKey > slowest[each.story])).toEqual([])
})
