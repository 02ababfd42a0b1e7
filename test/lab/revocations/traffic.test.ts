import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { password } from '../../support/app.js'
import { revokeTokens, rotateKeys } from '../../support/operator-changes.js'
import { report, times } from '../form.js'
import { it, path } from './stage.js'

// biome-ignore lint/style/noProcessEnv: says how long the experiment runs
const seconds = Number(process.env.REVOCATIONS_SECONDS ?? times(4, 3_600))
const clients = times(3, 30)

/** Seconds from a rotation until the next key signs. Caches of the published keys may be 300 s old. */
const rotationSeconds = 310

it('no valid token is refused, and every revoked one is', { timeout: (seconds + 300) * 1000 }, async ({
  servers,
  api,
  backends,
}) => {
  const operation = () => ({ store: servers.store, now: new Date() })
  const counts = { valid: 0, revoked: 0, rotations: 0 }
  const until = performance.now() + seconds * 1000
  const isOver = () => performance.now() > until

  async function expectAccepted(token: string) {
    const outcomes = await Promise.all(backends.map(({ outcome }) => outcome(token)))
    expect(new Set(outcomes)).toEqual(new Set(['accepted']))
    counts.valid += outcomes.length
  }
  async function expectRefused(tokens: string[]) {
    for (const token of tokens)
      for (const { outcome } of backends) {
        while ((await outcome(token)) === 'accepted') await pause(20)
        expect(await outcome(token)).toBe('token_invalid')
        counts.revoked += 1
      }
  }

  async function client() {
    const { id, email, token } = await api.signUp()
    let [login, current, next] = [token.jwt, password, `new ${password}`]
    for (let turn = 0; !isOver(); turn++) {
      const session = await api.openSession(login)
      const tokens = [login, session.token.jwt]
      let refreshToken = session.refreshToken.value
      for (let count = 0; count < 3; count++) {
        for (const each of tokens) await expectAccepted(each)
        await pause(times(50, 2_000))
        const refreshed = await api.refresh(refreshToken)
        refreshToken = refreshed.refreshToken.value
        tokens.push(refreshed.token.jwt)
      }
      if (turn % 2) {
        await api.endSession(refreshToken)
        login = (await api.logIn(email, current)).token.jwt
      } else {
        login = (await api.changePassword(tokens[1] ?? '', current, next)).token.jwt
        ;[current, next] = [next, current]
      }
      await expectAccepted(login)
      await expectRefused(tokens)
    }
    await revokeTokens(operation(), path, id)
    await expectRefused([login])
  }

  async function rotate() {
    while (!isOver()) {
      await rotateKeys(operation(), path, rotationSeconds)
      counts.rotations += 1
      const again = performance.now() + (rotationSeconds + 10) * 1000
      while (!isOver() && performance.now() < again) await pause(100)
    }
  }
  await Promise.all([rotate(), ...Array.from({ length: clients }, client)])
  report(
    `${seconds} s of traffic, ${counts.rotations} rotations: ${counts.valid} valid tokens accepted, ${counts.revoked} revoked tokens refused`,
  )
  expect(counts.revoked).toBeGreaterThan(clients)
})
