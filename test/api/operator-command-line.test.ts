import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { TestApi } from '../support/app.js'
import { it as consoleTest, type LoggedInOperator } from '../support/console.js'
import { removeFactors } from '../support/operator-changes.js'
import { claimsOf } from '../support/second-factor.js'

const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

const operators = { workspaceSlug: 'usher', databaseName: 'operators' }

interface Given {
  usher: TestApi
  owner: LoggedInOperator
  support: LoggedInOperator
  id: string
  databaseId: string
}

type Response = { statusCode: number; json: () => { code?: string } }
const outcomeOf = (response: Response) =>
  response.statusCode < 300 ? response.statusCode : response.json().code

const it = consoleTest
  .extend('owner', { scope: 'file' }, ({ console }) => console.owner())
  .extend('cli', { scope: 'file' }, ({ usher, console }) => {
    const post = (path: string, payload: object, jwt?: string) =>
      usher.inject({
        method: 'POST',
        url: `/operator/command-line/${path}`,
        payload,
        ...(jwt && { headers: { authorization: `Bearer ${jwt}` } }),
      })
    return {
      /** Lets an operator allow a command line to do something. Returns its code. */
      async allow(operator: LoggedInOperator, more: object = {}) {
        const headers = { 'usher-confirmation': await operator.confirm() }
        const body = { purpose: 'login', challenge, name: 'ada@laptop', ...more }
        const response = await operator.send('POST', '/operator/command-line/codes', body, headers)
        expect(response.statusCode, response.body).toBe(201)
        expect(response.json().expiresIn).toBe(120)
        return String(response.json().code)
      },
      open: (code: string, more: object = {}) => post('sessions', { code, verifier, ...more }),
      confirm: (code: string, jwt: string) => post('confirmations', { code, verifier }, jwt),
      me: (jwt: string) =>
        usher.inject({
          method: 'GET',
          url: '/operator/me',
          headers: { authorization: `Bearer ${jwt}` },
        }),
      refresh: (refreshToken: string) => console.post('session/refresh', { refreshToken }),
    }
  })

it('a code of the browser logs the command line in with the same proof, under its name', async ({
  usher,
  owner,
  cli,
}) => {
  const opened = await cli.open(await cli.allow(owner))
  expect(opened.statusCode, opened.body).toBe(201)
  const { id, token } = opened.json()
  const { acr, amr, auth_time } = claimsOf(owner.jwt)
  expect(claimsOf(token.jwt)).toMatchObject({ sub: owner.id, acr, amr, auth_time, sid: expect.any(String) })
  expect({ id, acr }).toEqual({ id: owner.id, acr: 'aal2' })
  expect(outcomeOf(await cli.me(token.jwt))).toBe(200)
  const listed = await usher.inject({
    method: 'GET',
    url: '/workspaces/usher/databases/operators/users/me/sessions',
    headers: { authorization: `Bearer ${token.jwt}` },
  })
  expect(listed.json().sessions).toMatchObject([{ label: 'ada@laptop', current: true }])
})

it('a code opens one session, also for two requests at the same time', async ({ cli, owner }) => {
  const code = await cli.allow(owner)
  const both = await Promise.all([cli.open(code), cli.open(code)])
  expect(both.map(outcomeOf).sort()).toEqual([201, 'session_not_opened'])
  expect(outcomeOf(await cli.open(code))).toBe('session_not_opened')
})

it('a code needs its verifier, its purpose, and to be at most 120 seconds old', async ({
  usher,
  owner,
  cli,
}) => {
  const code = await cli.allow(owner)
  expect(outcomeOf(await cli.open(code, { verifier: 'w'.repeat(43) }))).toBe('code_invalid')
  expect(outcomeOf(await cli.open(`${code}x`))).toBe('code_invalid')
  expect(outcomeOf(await cli.open(code, { verifier: 'short' }))).toBe('validation_failed')
  expect(outcomeOf(await cli.confirm(code, owner.jwt))).toBe('code_invalid')
  expect(outcomeOf(await cli.open(await cli.allow(owner, { purpose: 'confirmation' })))).toBe('code_invalid')
  const late = await cli.allow(owner)
  usher.clock.now += 119_000
  expect(outcomeOf(await cli.open(late))).toBe(201)
  const expired = await cli.allow(owner)
  usher.clock.now += 120_000
  expect(outcomeOf(await cli.open(expired))).toBe('code_invalid')
})

/** What ends the sessions of an operator. */
const ends = {
  'is disabled': ({ usher, id, databaseId }) =>
    usher.store.prisma.user.update({
      where: { databaseId_id: { databaseId, id } },
      data: { disabledAt: new Date() },
    }),
  'logs out everywhere': ({ support }) =>
    support.send('DELETE', '/workspaces/usher/databases/operators/users/me/sessions'),
  'loses the second factor': ({ usher, id }) =>
    removeFactors({ store: usher.store, now: new Date(usher.clock.now) }, operators, id),
  'is removed': async ({ owner, id }) =>
    owner.send('DELETE', `/operator/operators/${id}`, undefined, {
      'usher-confirmation': await owner.confirm(),
    }),
} satisfies Record<string, (given: Given) => unknown>

it.for(Object.entries(ends))(
  'an operator who %s has neither the sessions of command lines nor their codes',
  async ([name, end], { usher, console, owner, cli }) => {
    const email = `${name.replaceAll(' ', '-')}@example.com`
    const support = await console.operator(owner, { email, workspace: null, role: 'support' })
    const { token, refreshToken } = (await cli.open(await cli.allow(support))).json()
    expect(outcomeOf(await cli.me(token.jwt))).toBe(200)
    const [code, racing] = [await cli.allow(support), await cli.allow(support)]
    const given = { usher, owner, support, id: support.id, databaseId: String(console.database.id) }
    const [raced] = await Promise.all([cli.open(racing), end(given)])
    const isOpen =
      raced.statusCode === 201 && (await cli.refresh(raced.json().refreshToken.value)).statusCode === 200
    expect(isOpen).toBe(false)
    expect([
      outcomeOf(await cli.open(code)),
      outcomeOf(await cli.me(token.jwt)),
      outcomeOf(await cli.refresh(refreshToken.value)),
    ]).toEqual(['code_invalid', 'token_invalid', 'session_ended'])
  },
)

it('a confirmation of the browser counts in the session of the command line, and no longer', async ({
  usher,
  console,
  owner,
  cli,
}) => {
  const support = await console.operator(owner, {
    email: 'other@example.com',
    workspace: null,
    role: 'owner',
  })
  const { token } = (await cli.open(await cli.allow(owner))).json()
  const addOperator = (confirmation?: string) =>
    usher.inject({
      method: 'POST',
      url: '/operator/operators',
      payload: { email: owner.email, workspace: null, role: 'owner' },
      headers: {
        authorization: `Bearer ${token.jwt}`,
        ...(confirmation && { 'usher-confirmation': confirmation }),
      },
    })
  expect(outcomeOf(await addOperator())).toBe('step_up_required')
  expect(outcomeOf(await addOperator(await owner.confirm()))).toBe('step_up_required')
  const code = await cli.allow(owner, { purpose: 'confirmation' })
  expect(outcomeOf(await cli.confirm(code, support.jwt))).toBe('code_invalid')
  usher.clock.now += 60_000
  const { value, maxAge } = (await cli.confirm(code, token.jwt)).json()
  expect(maxAge).toBe(540)
  expect(outcomeOf(await addOperator(value))).toBe(201)
  expect(
    outcomeOf(await owner.send('POST', '/operator/operators', {}, { 'usher-confirmation': value })),
  ).toBe('step_up_required')
  usher.clock.now += 541_000
  expect(outcomeOf(await addOperator(value))).toBe('step_up_required')
})

it('a session of a command line ends after 12 hours', async ({ usher, owner, cli }) => {
  const opened = await cli.open(await cli.allow(owner))
  usher.clock.now += 6 * 3_600_000
  const { refreshToken } = (await cli.refresh(opened.json().refreshToken.value)).json()
  expect(refreshToken.maxAge).toBeLessThanOrEqual(6 * 3_600)
  usher.clock.now += 6 * 3_600_000
  expect(outcomeOf(await cli.refresh(refreshToken.value))).toBe('session_ended')
})
