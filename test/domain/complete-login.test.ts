import { expect, it } from 'vitest'
import { completeLogin } from '../../server/domain/tokens/complete-login.js'

it('completeLogin makes no token for a disabled user, whatever has proven who it is', async () => {
  const lines: object[] = []
  const log = { level: 'info', child: () => ({ info: (fields: object) => lines.push(fields) }) }
  const login = { user: { id: 'ada', disabledAt: new Date() }, readAt: 0, event: 'login.succeeded' }
  const completed = completeLogin(
    {} as never,
    { database: { id: 'app' }, caller: { log } } as never,
    login as never,
  )
  await expect(completed).rejects.toMatchObject({ code: 'invalid_credentials' })
  expect(lines).toEqual([])
})
