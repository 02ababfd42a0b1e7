import { createVerifier, type Requirement, VerifyError } from '@usher/verify'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { totpAt } from '../support/second-factor.js'
import { makeAttacks } from './attacks.js'
import { it as liveTest, optionsOf } from './live.js'

const it = liveTest.extend('signer', { scope: 'file' }, async ({ usher, origin }) => {
  const { database, sign, claims } = await makeAttacks(usher, 'ES256')
  return { sign, claims, verify: createVerifier(optionsOf(usher, origin, database)).verify }
})

describe('verify with a requirement', () => {
  it('accepts aal2 of a user with a second factor, and not the token before it', async ({
    usher,
    database,
    verifier,
  }) => {
    const { email } = validUser()
    const { token } = await database.signedUp({ email })
    const aal2 = { acr: 'aal2', amr: ['otp'], maxAuthAgeSeconds: 600 } as const
    expect((await verifier.verify(token.jwt, { acr: 'aal1' })).data?.claims.acr).toBe('aal1')
    expect((await verifier.verify(token.jwt, aal2)).error?.code).toBe('step_up_required')

    const enrolled = await database.as(token.jwt, 'POST', 'me/factors/totp', { password })
    const { challenge, secret } = enrolled.json()
    const added = { challenge, totp: totpAt(secret, usher.clock.now) }
    expect((await database.as(token.jwt, 'POST', 'me/factors/totp/confirm', added)).statusCode).toBe(201)
    usher.clock.now += 30_000
    const { secondFactor } = (await database.login({ email, password })).json()
    const response = await usher.send({
      method: 'POST',
      url: `${database.users}/login/second-factor`,
      payload: { challenge: secondFactor.challenge, totp: totpAt(secret, usher.clock.now) },
    })
    const { jwt } = response.json().token
    expect((await verifier.verify(`Bearer ${jwt}`, aal2)).data?.claims.amr).toEqual(['pwd', 'otp', 'mfa'])
    usher.clock.now += 601_000
    expect((await verifier.verify(jwt, aal2)).error?.code).toBe('step_up_required')
    expect((await verifier.verify(jwt, { acr: 'aal2' })).error).toBeUndefined()
  })

  it('accepts exactly the claims that meet it', async ({ usher, signer: { sign, verify } }) => {
    const now = Math.floor(usher.clock.now / 1000)
    const way = fc.constantFrom('pwd', 'otp', 'mfa', 'recovery')
    const optional = { requiredKeys: [] }
    const claims = fc.record(
      {
        acr: fc.constantFrom('aal1', 'aal2', 'aal3', ''),
        amr: fc.uniqueArray(way),
        auth_time: fc.integer({ min: now - 20, max: now + 1 }),
      },
      optional,
    )
    const requirement = fc.record(
      {
        acr: fc.constantFrom('aal1' as const, 'aal2' as const),
        amr: fc.uniqueArray(way, { minLength: 1 }),
        maxAuthAgeSeconds: fc.integer({ min: 1, max: 20 }),
      },
      optional,
    )
    const met = { count: 0 }
    await fc.assert(
      fc.asyncProperty(claims, requirement, async (given, required) => {
        const isRefused =
          (required.acr === 'aal2' && given.acr !== 'aal2') ||
          (required.amr ?? []).some((each) => !new Set(given.amr).has(each)) ||
          (required.maxAuthAgeSeconds !== undefined &&
            !(usher.clock.now - Number(given.auth_time) * 1000 <= required.maxAuthAgeSeconds * 1000))
        const absent = { acr: undefined, amr: undefined, auth_time: undefined }
        const { data, error } = await verify(sign({ ...absent, ...given }), required)
        expect(error?.code).toBe(isRefused ? 'step_up_required' : undefined)
        expect(data === undefined).toBe(isRefused)
        if (!isRefused) met.count += 1
      }),
      { numRuns: 300 },
    )
    expect(met.count).toBeGreaterThan(20)
  })

  it('returns the other errors for tokens that are not valid', async ({
    signer: { sign, verify, claims },
  }) => {
    const codeOf = async (token: string | undefined) => (await verify(token, { acr: 'aal2' })).error?.code
    expect(await codeOf(undefined)).toBe('token_missing')
    expect(await codeOf('a.b.c')).toBe('token_invalid')
    expect(await codeOf(sign({ iat: claims.iat - 7200, exp: claims.iat - 3600 }))).toBe('token_expired')
  })

  it.for<object>([
    { acr: 2 },
    { acr: null },
    { amr: 'otp' },
    { amr: [2] },
    { amr: null },
    { auth_time: 'now' },
  ])('rejects signed claims of another type: %j', async (changes, { signer: { sign, verify } }) => {
    expect((await verify(sign(changes))).error?.code).toBe('token_invalid')
  })

  it.for<[string, unknown]>([
    ['acr', 'aal3'],
    ['acr', null],
    ['acr', ['aal2']],
    ['amr', 'otp'],
    ['amr', []],
    ['amr', ['']],
    ['amr', [7]],
    ['maxAuthAgeSeconds', 0],
    ['maxAuthAgeSeconds', '600'],
    ['maxAuthAgeSeconds', Number.NaN],
    ['maxAuthAgeSeconds', Infinity],
    ['maxAuthAge', 600],
    ['max_age', 600],
  ])('rejects with a TypeError that names %s for %j', async ([name, value], { verifier }) => {
    const verified = verifier.verify('a.b.c', { [name]: value })
    await expect(verified).rejects.toThrow(TypeError)
    await expect(verified).rejects.toThrow(`verify: ${name} must be `)
  })

  it('rejects with a TypeError for options that are no object', async ({ verifier }) => {
    for (const options of [null, 'aal2', 7, ['aal2']])
      await expect(verifier.verify('a.b.c', options as Requirement)).rejects.toThrow(
        'verify: the options must be an object',
      )
  })
})

describe('step_up_required', () => {
  const challengeOf = (requirement?: Requirement) =>
    new VerifyError('step_up_required', requirement ? { requirement } : {}).headers['WWW-Authenticate']
  const described =
    'Bearer error="insufficient_user_authentication", error_description="A more recent or stronger login is required"'

  it('has the challenge of RFC 9470, section 3', () => {
    expect(challengeOf({ acr: 'aal2', maxAuthAgeSeconds: 600 })).toBe(
      `${described}, acr_values="aal2", max_age="600"`,
    )
    expect(challengeOf({ maxAuthAgeSeconds: 5 })).toBe(`${described}, max_age="5"`)
    expect(challengeOf({ acr: 'aal2', amr: ['otp'] })).toBe(`${described}, acr_values="aal2"`)
    expect(challengeOf({ amr: ['otp'] })).toBe(described)
    expect(challengeOf()).toBe(described)
  })

  it('has a problem document without the requirement', () => {
    const error = new VerifyError('step_up_required', { requirement: { acr: 'aal2' } })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'A more recent or stronger login is required',
      code: 'step_up_required',
    })
  })
})
