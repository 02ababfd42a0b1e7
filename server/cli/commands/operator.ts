import { type Command, Option } from '@commander-js/extra-typings'
import { canonicalEmail } from '@usher/contract'
import { type Operator, operatorRoles } from '@usher/contract/operator'
import { runChange } from '../../domain/change.js'
import { createCode } from '../../domain/codes/create-code.js'
import { changeUser } from '../../domain/email-change/change-user.js'
import { removeFactors } from '../../domain/factors/factors.js'
import { createSecretLookup } from '../../domain/keys/database-secrets.js'
import { codeLink } from '../../domain/operators/links.js'
import { addOperator, listOperators, removeOperator } from '../../domain/operators/operators.js'
import { ensureOperatorsDatabase } from '../../domain/operators/operators-database.js'
import { Problem } from '../../domain/problem.js'
import { email } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { table } from '../io/listing.js'
import { type DatabaseCommand, withDatabase, withStore } from '../io/with-store.js'

export function configure(operator: Command, host: Host) {
  addListCommand(operator, host)
  addAddCommand(operator, host)
  addResetCommand(operator, host)
  addRemoveCommand(operator, host)
}

type OnOperators = Omit<DatabaseCommand, 'context'> & { context: Parameters<typeof addOperator>[0] }

/** Runs a command on the operators' database, which is created if necessary. */
async function withOperators(host: Host, command: (on: OnOperators) => Promise<void>) {
  let path: Awaited<ReturnType<typeof ensureOperatorsDatabase>>
  await withStore(host, async (store, { consoleUrl }) => {
    path = await ensureOperatorsDatabase({ store, now: new Date(), consoleUrl })
  })
  if (!path) throw new Error('the operators’ database was not created')
  await withDatabase(host, path, ({ context, ...on }) =>
    command({
      ...on,
      context: {
        ...context,
        findSecrets: createSecretLookup(context.store),
        findOperators: async () => on.database,
      },
    }),
  )
}

function addListCommand(operator: Command, host: Host) {
  operator
    .command('list')
    .description('list the operators of the console with their roles')
    .option('--json', 'print the result as JSON')
    .action((options) =>
      withOperators(host, async ({ context }) => {
        const { operators } = await listOperators(context)
        const text = table(operators, {
          ID: ({ id }) => id,
          EMAIL: (each) => each.email,
          ROLES: (each) => rolesOf(each) || 'none',
        })
        host.print(options, operators, operators.length > 0 ? text : 'No operators.')
      }),
    )
}

const rolesOf = ({ rights }: Operator) =>
  rights.map(({ workspace, role }) => (workspace === null ? role : `${role} of ${workspace}`)).join(', ')

const linkText = ({ console }: Pick<DatabaseCommand['config'], 'console'>, link: string) =>
  `A password can be chosen within an hour at:\n${link}${console ? '' : '\nThe server has no console. Set CONSOLE=on first.'}`

function addAddCommand(operator: Command, host: Host) {
  operator
    .command('add')
    .argument('<email>', 'email address of the operator', email)
    .description('add an operator, or give an existing one another role; prints a link to choose a password')
    .addOption(
      new Option('--role <role>', 'role of the operator').choices(operatorRoles).default('owner' as const),
    )
    .option('--workspace <slug>', 'workspace in which the role counts; without it, the whole installation')
    .option('--json', 'print the result as JSON')
    .action((email, { role, workspace = null, ...options }) =>
      withOperators(host, async ({ context, config, request }) => {
        const added = await addOperator(context, { ...request, body: { email, role, workspace } })
        const { id } = added.operator
        const text = added.link
          ? `Added operator ${id}. ${linkText(config, added.link)}`
          : `Operator ${id} has the roles: ${rolesOf(added.operator)}.`
        host.print(options, added, text)
      }),
    )
}

function addResetCommand(operator: Command, host: Host) {
  operator
    .command('reset')
    .argument('<email>', 'email address of the operator', email)
    .description('remove the second factors of an operator, and print a link to choose a password')
    .option('--json', 'print the result as JSON')
    .action((email, options) =>
      withOperators(host, async (on) => {
        const { context, config, request, database } = on
        const { id: userId } = await requireOperator(on, email)
        const secrets = await context.findSecrets(database.id)
        const { code, factors } = await runChange(context, request, async (change) => {
          const removed = await removeFactors(change, { userId })
          // So the link sets a password although the operator has no second factor any more.
          const unverified = await changeUser(change, { userId, changes: { isVerified: false } })
          const created = await createCode(change, { userId, purpose: 'password_reset', secrets })
          return {
            result: { code: created.result.code ?? '', factors: removed.result },
            facts: [...removed.facts, ...unverified.facts, ...created.facts],
          }
        })
        const link = codeLink(database, 'reset-password', code)
        const text = `Removed second factors: ${factors}. ${linkText(config, link)}`
        host.print(options, { id: userId, factors, link }, text)
      }),
    )
}

function addRemoveCommand(operator: Command, host: Host) {
  operator
    .command('remove')
    .argument('<email>', 'email address of the operator', email)
    .description('delete an operator; refused for the last owner of the installation')
    .option('--json', 'print the result as JSON')
    .action((email, options) =>
      withOperators(host, async (on) => {
        const { context, request } = on
        const removed = await requireOperator(on, email)
        await removeOperator(context, { ...request, body: undefined, params: { operatorId: removed.id } })
        host.print(options, removed, `Removed operator ${removed.id}.`)
      }),
    )
}

/** Returns an operator by address. @throws {Problem} `user_not_found` */
async function requireOperator({ context }: OnOperators, address: string) {
  const { operators } = await listOperators(context)
  const found = operators.find((each) => canonicalEmail(each.email) === canonicalEmail(address))
  if (!found) throw new Problem('user_not_found', { detail: `${address} is not an operator.` })
  return found
}
