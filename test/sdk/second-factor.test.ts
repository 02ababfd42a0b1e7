import { initClient, initContract } from '@ts-rest/core'
import { useSecondFactor } from '@usher/sdk/react'
import { createSecondFactorQuestions, createSessionClient, type SecondFactorPrompt } from '@usher/sdk/session'
import { startUsher, type TestServer } from '@usher/server/testing'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { totpAt } from '../support/second-factor.js'
import { verifyAddress } from '../support/verified-address.js'
import { renderPage } from './happy-dom.js'
import { memoryStore } from './stub-fetch.js'

const password = 'correct horse battery'
const newPassword = 'four random common words'
const stepSeconds = 30

let server: TestServer
beforeAll(async () => {
  server = await startUsher()
}, 60_000)
afterAll(() => server.stop())

type Answer = (prompt: SecondFactorPrompt, secret: string) => object | undefined | Promise<object | undefined>
let count = 0

/** Returns a client of a new user with an authenticator app, which is logged out, and the prompts that it gets. */
async function userWithApp(answer: Answer) {
  const email = `ada-${++count}@example.com`
  const prompts: SecondFactorPrompt[] = []
  let secret = ''
  const usher = createSessionClient({
    ...server,
    sessionStore: memoryStore().store,
    secondFactor: (prompt) => {
      prompts.push(prompt)
      return answer(prompt, secret)
    },
  })
  await usher.createUser({ email, password })
  await verifyAddress(server, email)
  const enrolled = await usher.enrolTotp({ password })
  if (enrolled.error) throw enrolled.error
  secret = enrolled.data.secret
  const added = await usher.addTotp({ challenge: enrolled.data.challenge, totp: code(secret) })
  if (added.error) throw added.error
  expect(usher.state).toBe('signedIn')
  await usher.signOut()
  return { usher, email, prompts, recoveryCodes: added.data.recoveryCodes ?? [] }
}

const code = (secret: string) => totpAt(secret, server.now())
/** Returns a code that was not used. */
function nextCode(secret: string) {
  server.advanceSeconds(stepSeconds)
  return code(secret)
}

it('asks for the second factor in a login, again after a wrong code, and opens a session', async () => {
  const { usher, email, prompts } = await userWithApp(({ error }, secret) => ({
    totp: error ? nextCode(secret) : '000000',
  }))
  const { data, error } = await usher.login({ email, password })
  expect([error, data?.id]).toEqual([undefined, expect.any(String)])
  expect(prompts.map(({ methods, error }) => [methods, error?.code])).toEqual([
    [['totp', 'recoveryCode'], undefined],
    [['totp', 'recoveryCode'], 'second_factor_invalid'],
  ])
  const { data: list } = await usher.listSessions()
  expect(list?.sessions).toHaveLength(1)
})

it('returns the error of the first step if the user cancels', async () => {
  const { usher, email } = await userWithApp(() => undefined)
  const { data, error } = await usher.login({ email, password })
  expect([data, error?.code, usher.state]).toEqual([undefined, 'second_factor_required', 'signedOut'])
})

it('stays logged out if the user logs out while the prompt is open', async () => {
  const { usher, email } = await userWithApp(async (_prompt, secret) => {
    await usher.signOut()
    return { totp: nextCode(secret) }
  })
  const { error } = await usher.login({ email, password })
  expect([error?.code, usher.state]).toEqual(['second_factor_required', 'signedOut'])
})

it('steps up for a change that needs a confirmation, and repeats it', async () => {
  const { usher, email, prompts } = await userWithApp((_prompt, secret) => ({ totp: nextCode(secret) }))
  await usher.login({ email, password })
  const { error } = await usher.changePassword({ password, newPassword })
  expect([error, prompts.length, usher.state]).toEqual([undefined, 2, 'signedIn'])
  const { data } = await usher.listFactors()
  const removed = await usher.removeFactor(data?.factors[0]?.id ?? '', {})
  expect(removed.error).toBeUndefined()
  expect((await usher.listFactors()).data?.factors).toEqual([])
})

it('sends the proof with a password reset', async () => {
  const { usher, email, prompts, recoveryCodes } = await userWithApp(() => ({
    recoveryCode: recoveryCodes.pop(),
  }))
  const resetCode = async () => {
    for (;;) {
      const [, code] = /\/reset-password#code=(\S+)/.exec((await server.mailTo(email)).text) ?? []
      if (code) return code
    }
  }
  await usher.requestPasswordReset({ email })
  const reset = await usher.resetPassword({ code: await resetCode(), newPassword })
  expect([reset.error, prompts.length, usher.state]).toEqual([undefined, 1, 'signedIn'])
})

it('is an error that an app without the callback can show', async () => {
  const { email } = await userWithApp(() => undefined)
  const plain = createSessionClient({ ...server })
  const { data, error } = await plain.login({ email, password })
  expect([data, error?.status, error?.title]).toEqual([undefined, 401, 'Second factor is required'])
  expect(error?.secondFactor?.methods).toEqual(['totp', 'recoveryCode'])
})

const SignedIn = z.object({
  id: z.string(),
  tenants: z.array(z.string()),
  token: z.object({ jwt: z.string(), maxAge: z.number(), type: z.literal('ACCESS_TOKEN') }),
})
const OldProblem = z.object({ status: z.number(), title: z.string(), detail: z.string() }).loose()

/** What a client knew before there were second factors: the operations of docs/specification.md. */
const oldContract = initContract().router({
  createUser: { method: 'POST', path: '/users', body: z.object({}).loose(), responses: { 201: SignedIn } },
  login: {
    method: 'POST',
    path: '/users/login',
    body: z.object({}).loose(),
    responses: { 200: SignedIn, 401: OldProblem },
  },
  me: {
    method: 'GET',
    path: '/users/me',
    headers: z.object({ authorization: z.string() }),
    responses: { 200: z.object({ email: z.string() }), 401: OldProblem },
  },
})

it('is an error with a text, and never a success, for a client that knows only the three operations', async () => {
  const baseUrl = `${server.baseUrl}/workspaces/${server.workspace}/databases/${server.database}`
  const old = initClient(oldContract, { baseUrl, validateResponse: true, throwOnUnknownStatus: true })
  const { email } = await userWithApp(() => undefined)
  const refused = await old.login({ body: { email, password } })
  expect(refused).toMatchObject({ status: 401, body: { title: 'Second factor is required' } })
  expect(SignedIn.safeParse(refused.body).success).toBe(false)
  expect(JSON.stringify(refused.body)).not.toContain('jwt')
  // Nothing has changed for users without a second factor.
  const plain = { email: `plain-${email}`, password }
  expect((await old.createUser({ body: plain })).status).toBe(201)
  const { status, body } = await old.login({ body: plain })
  expect(status).toBe(200)
  const { token } = SignedIn.parse(body)
  const me = await old.me({ headers: { authorization: `Bearer ${token.jwt}` } })
  expect(me).toMatchObject({ status: 200, body: { email: plain.email } })
})

it('shows a question with React until it is answered, and a new one cancels it', async () => {
  const questions = createSecondFactorQuestions()
  const View = () => {
    const question = useSecondFactor(questions)
    const code = question?.error?.code ?? ''
    return createElement('p', null, question ? `asked ${question.methods} ${code}` : 'not asked')
  }
  expect(renderToString(createElement(View))).toContain('not asked')
  const page = await renderPage(createElement(View))
  const shows = (text: string) => vi.waitFor(() => expect(page.text()).toBe(text), 10_000)
  const methods = ['totp'] as const
  const first = questions.ask({ methods, options: undefined, error: undefined })
  await shows('asked totp ')
  const second = questions.ask({ methods, options: undefined, error: undefined })
  expect(await first).toBeUndefined()
  questions.current?.answer({ totp: '240618' })
  expect(await second).toEqual({ totp: '240618' })
  await shows('not asked')
  await page.close()
  vi.unstubAllGlobals()
})

it('asks by the questions of a page in a login', async () => {
  const questions = createSecondFactorQuestions()
  const { email } = await userWithApp(() => undefined)
  const usher = createSessionClient({ ...server, secondFactor: questions.ask })
  const login = usher.login({ email, password })
  await vi.waitFor(() => expect(questions.current).toBeDefined(), 10_000)
  questions.current?.cancel()
  expect((await login).error?.code).toBe('second_factor_required')
})
