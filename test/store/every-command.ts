import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { password } from '../support/app.js'
import { runUsher } from '../support/command-line.js'

interface Surroundings {
  /** For files that the commands read. */
  folder: string
  /** Issuer of a provider that knows every client. */
  issuer: string
  /** Called with a tenant of the database. Returns what to call before the database is deleted. */
  onTenant?: (ids: { databaseId: string; tenantId: string }) => Promise<() => Promise<void>>
}

/** Runs every command that works on the store while servers run, most of them on the database `acme/app`. */
export async function useEveryCommand(
  usher: (command: string, input?: string) => Promise<string>,
  { folder, issuer, onTenant }: Surroundings,
) {
  const ada = 'acme/app ada@example.com'
  const file = join(folder, 'users.ndjson')
  const tenants = [{ name: 'Engines' }, { name: 'Compilers' }]
  await writeFile(
    file,
    ['ada', 'grace'].map((name) => `${JSON.stringify({ email: `${name}@example.com`, tenants })}\n`).join(''),
  )
  await usher('operator add ada@example.com')
  await usher('operator add grace@example.com --role support')
  await usher('operator list')
  await usher('operator reset grace@example.com')
  await usher('operator remove grace@example.com')
  await usher('workspace create acme')
  await usher('workspace list --after aaa')
  const { id: databaseId } = JSON.parse(await usher('database create acme/app'))
  await usher('database list --after aaa/aaa')
  await usher('database show acme/app')
  await usher('database set acme/app --token-max-age 120 --webhook-url http://127.0.0.1:9')
  await usher(`user import acme/app ${file} --dry-run`)
  await usher(`user import acme/app ${file}`)
  await usher(`user import acme/app ${file}`)
  await usher('user export acme/app')
  const {
    tenants: [{ id: tenant }],
  } = JSON.parse(await usher('tenant list acme/app'))
  const expectUnchanged = await onTenant?.({ databaseId, tenantId: tenant })
  await usher(`tenant remove-user acme/app ${tenant} ada@example.com`)
  await usher(`tenant add-user acme/app ${tenant} ada@example.com`)
  const created = JSON.parse(await usher('tenant create acme/app Looms'))
  await usher(`user create acme/app grete@example.com --tenant ${created.id}`, password)
  await usher('user create acme/app joan@example.com --no-password')
  await usher(`tenant rename acme/app ${created.id} Weavers`)
  await usher('database set acme/app --app-url https://app.example.com --app-name Weavers')
  await usher('database set acme/app --mail-templates none')
  await usher('mail preview acme/app --template invitation')
  // Nothing answers there.
  await usher('database set acme/app --sign-up-hook-url https://127.0.0.1:1/')
  await usher('hook test acme/app')
  await usher('database set acme/app --sign-up-hook-url none')
  const invited = JSON.parse(
    await usher(`tenant invite acme/app ${created.id} joan@example.com --role owner`),
  )
  await usher(`tenant list-invitations acme/app ${created.id}`)
  await usher(`tenant revoke-invitation acme/app ${created.id} ${invited.id}`)
  await usher(`tenant set-seats acme/app ${created.id} 5`)
  await usher(`tenant list-users acme/app ${created.id}`)
  await setUpSso(usher, `acme/app ${created.id}`, issuer)
  await usher(`tenant delete acme/app ${created.id} --yes`)
  const {
    users: [{ id }],
  } = JSON.parse(await usher(`user list acme/app --tenant ${tenant}`))
  await usher(`user list acme/app --after ${id}`)
  await usher('user list acme/app --email-prefix a')
  await usher('user list acme/app --name-prefix a')
  await usher('tenant list acme/app --name-prefix a')
  await usher(`tenant list acme/app --after ${tenant}`)
  await usher(`user show acme/app ${id}`)
  await usher(`user show ${ada}`)
  await usher(`user factors ${ada}`)
  for (const verb of ['disable', 'enable', 'revoke-tokens', 'remove-factors', 'unlock'])
    await usher(`user ${verb} ${ada}`)
  await usher(`user set-email ${ada} countess@example.com`)
  await usher(`user set-email acme/app countess@example.com ada@example.com --no-undo`)
  await usher(`user set-password ${ada}`, 'another battery staple')
  await usher('events expire-cursors acme/app')
  await usher('events expire-cursors')
  const {
    deliveries: [{ id: message }],
  } = JSON.parse(await usher('outbox list acme/app'))
  await usher(`outbox retry acme/app ${message}`)
  await usher('outbox retry acme/app --not-retried')
  await usher(`outbox drop acme/app ${message}`)
  await usher(`outbox list acme/app --not-retried --after ${message}`)
  await usher(`user send-reset ${ada}`)
  await usher(`user delete ${ada} --yes`)
  const {
    keys: [{ kid }],
  } = JSON.parse(await usher('keys list acme/app'))
  await usher('keys rotate acme/app --activate-in 0')
  await usher(`keys retire acme/app ${kid}`)
  const key = JSON.parse(await usher('api-key create acme/app --name backend --scope users:read'))
  const successor = JSON.parse(await usher(`api-key rotate acme/app ${key.id}`))
  await usher('api-key list acme/app')
  await usher(`api-key revoke acme/app ${successor.id}`)
  await usher(`connection add acme/app acme --client-id app --issuer ${issuer}`, 'secret')
  await usher('connection list acme/app')
  await usher('connection set acme/app acme --state disabled --new-secret', 'other secret')
  await usher('connection check acme/app acme')
  await usher('connection remove acme/app acme --yes')
  await expectUnchanged?.()
  await usher('database delete acme/app --yes')
  await usher('workspace delete acme')
}

/** Returns the name of a command that is typed, such as `user create`. */
export const nameOfCommand = (typed: string) =>
  typed
    .split(' ')
    .slice(0, /^(migrate|openapi)/.test(typed) ? 1 : typed.startsWith('tenant sso ') ? 3 : 2)
    .join(' ')

/** Runs every command of single sign-on. */
async function setUpSso(
  usher: (command: string, input?: string) => Promise<string>,
  tenant: string,
  issuer: string,
) {
  await usher('database set acme/app --single-sign-on on')
  await usher(`tenant sso portal ${tenant} --may-require`)
  await usher(`tenant sso set ${tenant} --max-age 24h --acr aal2`)
  const id = randomUUID()
  await usher(`tenant sso add-connection ${tenant} --id ${id} --client-id app --issuer ${issuer}`, 'secret')
  await usher(`tenant sso set-connection ${tenant} ${id} --state disabled --new-secret`, 'other secret')
  await usher(`tenant sso check-connection ${tenant} ${id}`)
  await usher(`tenant sso remove-connection ${tenant} ${id} --yes`)
  await usher(`tenant sso add-domain ${tenant} acme.example`)
  // They would ask DNS for a domain that the tenant has.
  for (const verb of ['check-domain', 'move-domain'])
    await usher(`tenant sso ${verb} ${tenant} none.example`).catch(() => undefined)
  await usher(`tenant sso show ${tenant}`)
  await usher(`tenant sso remove-domain ${tenant} acme.example`)
}

/** Returns the names of all commands in the help, such as `user create`. */
export async function commandsUnder(above: string[] = []): Promise<string[]> {
  const { stdout } = await runUsher([...above, '--help'], {})
  const names = [...(stdout.split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(
    ([, name = '']) => name,
  )
  if (names.length === 0) return [above.join(' ')]
  const found: string[] = []
  for (const name of names.filter((each) => each !== 'help')) {
    found.push(...(await commandsUnder([...above, name])))
  }
  return found
}
