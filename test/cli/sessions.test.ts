import { randomBytes } from 'node:crypto'
import type { Session } from '@usher/contract'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { password } from '../support/app.js'
import { it as operatorTest, startOperator } from '../support/operator.js'
import { openPostgresCopy } from '../support/store.js'

const email = 'ada@example.com'

const it = operatorTest.extend('account', async ({ usher, database }) => {
  const session: Session = await database.opened({ email })
  /** Returns the status of a refresh and of `me` with the access token. */
  const statuses = async () => [
    (await database.refresh(session.refreshToken.value)).statusCode,
    (await database.me(session.token.jwt)).statusCode,
  ]
  const run = (verb: string, input?: string) => usher.json(`user ${verb} ${database.path} ${email}`, input)
  return { ...database, session, statuses, run }
})

describe('commands that end sessions', () => {
  it.for([
    ['revoke-tokens', ''],
    ['set-password', 'another battery staple'],
    ['delete --yes', ''],
  ])('user %s ends the sessions of the user immediately', async ([verb = '', input], { usher, account }) => {
    const other = await account.opened()
    expect(await account.statuses()).toEqual([200, 200])
    const command = verb.replace(/(\S+)(.*)/, `user $1 ${account.path} ${email}$2`)
    await usher.json(command, input)
    expect(await account.statuses()).toEqual([401, 401])
    expect((await account.refresh(other.refreshToken.value)).statusCode).toBe(200)
  })

  it('user disable ends the sessions of the user, also after user enable', async ({ account }) => {
    await account.run('disable')
    expect(await account.statuses()).toEqual([401, 401])
    await account.run('enable')
    expect(await account.statuses()).toEqual([401, 401])
    const { token } = (await account.login({ email, password })).json()
    expect((await account.openSession(token.jwt)).statusCode).toBe(201)
  })

  it('user enable brings back no session that was opened while the user was disabled', async ({
    usher,
    account,
  }) => {
    const { token } = (await account.login({ email, password })).json()
    const { findUser } = usher.context
    vi.spyOn(usher.context, 'findUser').mockImplementationOnce(async (...key) => {
      const user = await findUser(...key)
      await account.run('disable')
      return user
    })
    const session: Session = (await account.openSession(token.jwt)).json()
    await account.run('enable')
    expect((await account.refresh(session.refreshToken.value)).json().code).toBe('session_ended')
  })

  it('database delete ends all sessions', async ({ usher, account }) => {
    await usher.json(`database delete ${account.path} --yes`)
    const server = await usher.otherServer()
    const { refresh } = server.client(account.workspaceSlug, account.databaseName)
    expect((await refresh(account.session.refreshToken.value)).json().code).toBe('database_not_found')
    await server.close()
  })
})

it('sessions are refreshed by every server, before and after keys rotate', async ({ usher, account }) => {
  const { path, workspaceSlug, databaseName } = account
  let { refreshToken } = account.session
  for (const minutes of [0, 2, 15]) {
    await usher.json(`keys rotate ${path} --activate-in 0`)
    const server = await usher.otherServer()
    server.clock.now = Date.now() + minutes * 60_000
    const { refresh, me } = server.client(workspaceSlug, databaseName)
    const next: Session = (await refresh(refreshToken.value)).json()
    expect((await me(next.token.jwt)).statusCode).toBe(200)
    refreshToken = next.refreshToken
    await server.close()
  }
  expect(refreshToken.value).toMatch(/^[^.]+\.3\./)
})

it('keys retire ends the sessions that were refreshed in the time of the key', async ({ usher, account }) => {
  const { path, workspaceSlug, databaseName, session } = account
  const [{ kid }] = await usher.rows(`keys list ${path}`)
  await usher.json(`keys rotate ${path} --activate-in 0`)
  await usher.json(`keys retire ${path} ${kid}`)
  usher.clock.now = Date.now()
  const server = await usher.otherServer()
  const { refresh, opened, me } = server.client(workspaceSlug, databaseName)
  expect((await refresh(session.refreshToken.value)).json().code).toBe('session_ended')
  const next: Session = (await refresh((await opened()).refreshToken.value)).json()
  expect((await me(next.token.jwt)).statusCode).toBe(200)
  await server.close()
  const [{ kid: newest }] = await usher.rows(`keys list ${path}`)
  await usher.json(`keys rotate ${path} --activate-in 0`)
  await usher.json(`keys retire ${path} ${newest}`)
  usher.clock.now = Date.now()
  const another = await usher.otherServer()
  const response = await another.client(workspaceSlug, databaseName).refresh(next.refreshToken.value)
  expect(response.json().code).toBe('session_ended')
  await another.close()
})

it('sessions are refreshed after keys rewrap', async () => {
  const store = await openPostgresCopy()
  const usher = await startOperator(store)
  onTestFinished(() => usher.close().then(store.close))
  const { workspaceSlug, databaseName, ...database } = await usher.newDatabase()
  const { refreshToken } = await database.opened()
  const newKey = randomBytes(32)
  await usher.operator('keys rewrap', '', { USHER_NEW_MASTER_KEY: newKey.toString('base64') })
  const server = await usher.otherServer(newKey)
  const { refresh } = server.client(workspaceSlug, databaseName)
  expect((await refresh(refreshToken.value)).statusCode).toBe(200)
  await server.close()
})
