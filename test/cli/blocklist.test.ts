import { expect } from 'vitest'
import { blocklistOf, writeTemporary } from '../domain/blocklist-file.js'
import { runUsher } from '../support/command-line.js'
import { it } from '../support/operator.js'
import { createFolderSettings } from '../support/store.js'

it('user set-password rejects a breached password', async ({ usher: operator, database }) => {
  const { file, remove } = await blocklistOf('breached horse battery')
  const { path, signedUp } = database
  const { id } = await signedUp()
  const setPassword = (password: string) =>
    operator.outcome(`user set-password ${path} ${id}`, password, { PASSWORD_BLOCKLIST_FILE: file })
  expect(await setPassword('breached horse battery')).toBe(
    '2 usher: password must not be a password known from a data breach\n',
  )
  expect(await setPassword('another horse battery')).toContain('0 Set the password')
  await remove()
})

it('commands and servers reject a blocklist file in an unknown format', async ({
  usher: operator,
  database,
}) => {
  const { file, remove } = await writeTemporary('breached horse battery\n')
  const { path, signedUp } = database
  const { id } = await signedUp()
  const reason = /usher: PASSWORD_BLOCKLIST_FILE names a file with a line that is not a SHA-1/
  const env = { PASSWORD_BLOCKLIST_FILE: file }
  const outcome = await operator.outcome(`user set-password ${path} ${id}`, 'another horse battery', env)
  expect(outcome).toMatch(new RegExp(`^2 ${reason.source}`))
  const folder = await createFolderSettings()
  const { code, stderr } = await runUsher(['serve', '--workers', '1'], { ...folder.env, ...env })
  expect(code).toBe(2)
  expect(stderr).toMatch(reason)
  await folder.remove()
  await remove()
})
