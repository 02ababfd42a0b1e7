import { ListedTenant, ListedUser, ManagedUser, UserFactorList } from '@usher/contract/management'
import { expect } from 'vitest'
import { password } from '../support/app.js'
import { it } from '../support/operator.js'
import { setDatabase } from '../support/operator-changes.js'

/** The schema of the API of what a command prints with --json. */
const printed: Record<
  string,
  typeof ListedUser | typeof ManagedUser | typeof UserFactorList | typeof ListedTenant
> = {
  ...Object.fromEntries(
    [
      'create',
      'list',
      'disable',
      'enable',
      'set-email',
      'set-password',
      'send-reset',
      'revoke-tokens',
      'remove-factors',
      'unlock',
      'delete',
    ].map((name) => [`user ${name}`, ListedUser]),
  ),
  'user show': ManagedUser,
  'user factors': UserFactorList,
  ...Object.fromEntries(
    ['create', 'list', 'rename', 'set-seats', 'delete'].map((name) => [`tenant ${name}`, ListedTenant]),
  ),
}

it('every command that does what an operation does prints items of the API', async ({ usher, database }) => {
  await setDatabase(usher.store, database, { appUrl: 'https://app.example.com' })
  const expectItems = async (command: string, rest: string, input?: string) => {
    const schema = printed[command]
    const result = await usher.json(`${command} ${database.path}${rest}`, input)
    const items = [result].flat()
    expect(items.length, command).toBeGreaterThan(0)
    for (const item of items) expect(schema?.safeParse(item).error?.issues, command).toBeUndefined()
    return items[0]
  }
  const tenant = await expectItems('tenant create', ' Engines')
  await expectItems('tenant list', '')
  await expectItems('tenant rename', ` ${tenant.id} Looms`)
  await expectItems('tenant set-seats', ` ${tenant.id} 5`)
  const { id } = await expectItems('user create', ` ada@example.com --tenant ${tenant.id}`, `${password}\n`)
  await expectItems('user list', '')
  const shown = await expectItems('user show', ` ${id}`)
  await expectItems('user factors', ` ${id}`)
  const { key } = await usher.json(`api-key create ${database.path} --name backend --scope users:read`)
  const url = `${database.users.replace(/users$/, 'management')}/users/${id}`
  const read = await usher.send({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } })
  expect(shown).toMatchObject(read.json())
  for (const name of ['disable', 'enable', 'send-reset', 'revoke-tokens', 'remove-factors', 'unlock'])
    await expectItems(`user ${name}`, ` ${id}`)
  await expectItems('user set-email', ` ${id} lovelace@example.com`)
  await expectItems('user set-password', ` ${id}`, `new ${password}\n`)
  await expectItems('user delete', ` ${id} --yes`)
  await expectItems('tenant delete', ` ${tenant.id} --yes`)
})
