import fc from 'fast-check'
import { expect } from 'vitest'
import { password, type TestApi, type TestDatabase, validUser } from '../support/app.js'
import { it } from '../support/codes.js'
import { setDatabase } from '../support/operator-changes.js'
import { totpAt } from '../support/second-factor.js'

const mostApps = 2

/** What a user has, and what the current client has proven. */
interface Model {
  apps: { id: string; secret: string }[]
  isOn: boolean
  recoveryCodes: string[]
  hasProvenTwo: boolean
  /** Whether the database requires a second factor. */
  isRequired: boolean
}

/** Signs a user up. Returns commands, which compare each response with the model. */
async function startUser(usher: TestApi, database: TestDatabase) {
  const { clock } = usher
  const credentials = { email: validUser().email, password }
  const model: Model = { apps: [], isOn: false, recoveryCodes: [], hasProvenTwo: false, isRequired: false }
  let { jwt } = (await database.verifiedUser(credentials)).token
  let confirmed: object = { password }

  function keep({ token, confirmation }: { token: { jwt: string }; confirmation?: { value: string } }) {
    jwt = token.jwt
    confirmed = { password, ...(confirmation && { confirmation: confirmation.value }) }
  }
  /** Sends a change. Returns its body, or undefined if it is refused as it must be. */
  async function change(method: 'POST' | 'PUT', path: string, { refusal, ...body }: Expected) {
    const isUnproven = model.apps.length > 0 && !model.hasProvenTwo
    const expected = isUnproven ? 'step_up_required' : refusal
    const response = await database.as(jwt, method, `me/${path}`, { ...confirmed, ...body })
    const result = response.json()
    expect(response.statusCode < 300 ? undefined : result.code).toBe(expected)
    if (expected) return undefined
    if (result.token) keep(result)
    return result
  }
  const whenMissing = () => (model.apps.length === 0 ? 'factor_needed' : undefined)

  async function setStep(isOn: boolean) {
    const refusal = !isOn && model.isRequired ? 'factor_needed' : whenMissing()
    if (await change('PUT', 'second-factor', { refusal, on: isOn })) model.isOn = isOn
  }
  /** Logs in. @param proofOf returns the second step */
  async function logIn(proofOf: () => object) {
    const response = await database.login(credentials)
    const { token, secondFactor, code } = response.json()
    const isNeeded = model.apps.length > 0 && (model.isOn || model.isRequired)
    expect(code).toBe(isNeeded ? 'second_factor_required' : undefined)
    model.hasProvenTwo = isNeeded
    if (!isNeeded) return keep({ token })
    const second = { challenge: secondFactor.challenge, ...proofOf() }
    const finished = await database.as(jwt, 'POST', 'login/second-factor', second)
    expect(finished.statusCode, finished.body).toBe(200)
    keep(finished.json())
  }
  const totpOf = (which: number) => totpAt(model.apps[which % model.apps.length]?.secret ?? '', clock.now)

  const commands = {
    async require() {
      model.isRequired = !model.isRequired
      const secondFactor = model.isRequired ? 'required' : 'optional'
      // The user has a long time to add a factor.
      await setDatabase(usher.store, database, { secondFactor, secondFactorGrace: 31_536_000 })
      usher.clock.cacheAhead += 6_000
    },
    async add() {
      const refusal = model.apps.length === mostApps ? 'factors_full' : undefined
      const enrolled = await change('POST', 'factors/totp', { refusal })
      if (!enrolled) return
      const { challenge, secret } = enrolled
      const hadCodes = model.recoveryCodes.length > 0
      const response = await database.as(jwt, 'POST', 'me/factors/totp/confirm', {
        challenge,
        totp: totpAt(secret, clock.now),
      })
      const { factor, recoveryCodes, ...signedIn } = response.json()
      keep(signedIn)
      expect(recoveryCodes?.length).toBe(hadCodes ? undefined : 8)
      model.apps.push({ id: factor.id, secret })
      Object.assign(model, { isOn: true, hasProvenTwo: true, ...(recoveryCodes && { recoveryCodes }) })
    },
    async remove(which: number) {
      const app = model.apps[which % Math.max(1, model.apps.length)]
      const isNeeded = !app || (model.apps.length === 1 && model.isRequired)
      const id = app?.id ?? crypto.randomUUID()
      const refusal = isNeeded ? 'factor_needed' : undefined
      if (!(await change('POST', `factors/${id}/removal`, { refusal }))) return
      model.apps = model.apps.filter((each) => each !== app)
      if (model.apps.length === 0) Object.assign(model, { isOn: false, recoveryCodes: [] })
    },
    turnOn: () => setStep(true),
    turnOff: () => setStep(false),
    async renew() {
      const renewed = await change('POST', 'recovery-codes', { refusal: whenMissing() })
      if (renewed) model.recoveryCodes = renewed.codes
    },
    logIn: (which: number) => logIn(() => ({ totp: totpOf(which) })),
    recover: (which: number) =>
      logIn(() => {
        const recoveryCode = model.recoveryCodes.pop()
        return recoveryCode ? { recoveryCode } : { totp: totpOf(which) }
      }),
  }
  /** Compares what the API lists with the model. */
  async function compare() {
    const list = (await database.as(jwt, 'GET', 'me/factors')).json()
    expect(list.factors.map(({ id }: { id: string }) => id)).toEqual(model.apps.map(({ id }) => id))
    expect([list.recoveryCodes, list.secondFactor.on]).toEqual([
      model.recoveryCodes.length,
      model.apps.length > 0 && (model.isOn || model.isRequired),
    ])
  }
  return { commands, compare }
}

interface Expected {
  refusal: string | undefined
  on?: boolean
}

type Name = keyof Awaited<ReturnType<typeof startUser>>['commands']
const names: Name[] = [
  'add',
  'add',
  'remove',
  'turnOn',
  'turnOff',
  'renew',
  'logIn',
  'logIn',
  'recover',
  'require',
]
const steps = fc.array(fc.record({ name: fc.constantFrom(...names), which: fc.nat({ max: 1 }) }), {
  minLength: 8,
  maxLength: 16,
})

it('changes of factors, and logins with them, agree with a model', async ({ app, usher, clock }) => {
  const property = fc.asyncProperty(steps, async (run) => {
    await setDatabase(usher.store, app, { secondFactor: 'optional' })
    usher.clock.cacheAhead += 6_000
    const { commands, compare } = await startUser(usher, app)
    for (const { name, which } of run) {
      clock.now += 30_000
      await commands[name](which)
      await compare()
    }
  })
  await fc.assert(property, { numRuns: 15 })
})
