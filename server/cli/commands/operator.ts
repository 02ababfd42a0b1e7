import { type Command, Option } from '@commander-js/extra-typings'
import { canonicalEmail } from '@usher/contract'
import { type Operator, operatorRoles } from '@usher/contract/operator'
import { Problem } from '../../domain/problem.js'
import { email } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { table } from '../io/listing.js'

export function configure(operator: Command, cli: Cli) {
  addListCommand(operator, cli)
  addAddCommand(operator, cli)
  addResetCommand(operator, cli)
  addRemoveCommand(operator, cli)
}

function addListCommand(operator: Command, { host, call }: Cli) {
  operator
    .command('list')
    .description('list the operators of the console with their roles')
    .option('--json', 'print the result as JSON')
    .action(async (options) => {
      const body = await call('listOperators', { query: {} })
      const text = table(body.operators, {
        ID: ({ id }) => id,
        EMAIL: (each) => each.email,
        ROLES: (each) => rolesOf(each) || 'none',
      })
      host.print(options, body, body.operators.length > 0 ? text : 'No operators.')
    })
}

const rolesOf = ({ rights }: Operator) =>
  rights.map(({ workspace, role }) => (workspace === null ? role : `${role} of ${workspace}`)).join(', ')

const linkText = async ({ hasConsole }: Cli, link: string) =>
  `A password can be chosen within an hour at:\n${link}${(await hasConsole()) ? '' : '\nThe server has no console. Set CONSOLE=on first.'}`

function addAddCommand(operator: Command, cli: Cli) {
  operator
    .command('add')
    .argument('<email>', 'email address of the operator', email)
    .description('add an operator, or give an existing one another role; prints a link to choose a password')
    .addOption(
      new Option('--role <role>', 'role of the operator').choices(operatorRoles).default('owner' as const),
    )
    .option('--workspace <slug>', 'workspace in which the role counts; without it, the whole installation')
    .option('--json', 'print the result as JSON')
    .action(async (email, { role, workspace = null, ...options }) => {
      const added = await cli.call('addOperator', { body: { email, role, workspace } })
      const { id } = added.operator
      const text = added.link
        ? `Added operator ${id}. ${await linkText(cli, added.link)}`
        : `Operator ${id} has the roles: ${rolesOf(added.operator)}.`
      cli.host.print(options, added, text)
    })
}

function addResetCommand(operator: Command, cli: Cli) {
  operator
    .command('reset')
    .argument('<email>', 'email address of the operator', email)
    .description('remove the second factors of an operator, and print a link to choose a password')
    .option('--json', 'print the result as JSON')
    .action(async (email, options) => {
      const reset = await cli.call('resetOperator', { body: { email } })
      const text = `Removed second factors: ${reset.factors}. ${await linkText(cli, reset.link)}`
      cli.host.print(options, reset, text)
    })
}

function addRemoveCommand(operator: Command, { host, call }: Cli) {
  operator
    .command('remove')
    .argument('<email>', 'email address of the operator', email)
    .description('delete an operator; refused for the last owner of the installation')
    .option('--json', 'print the result as JSON')
    .action(async (email, options) => {
      const { operators } = await call('listOperators', { query: {} })
      const found = operators.find((each) => canonicalEmail(each.email) === canonicalEmail(email))
      if (!found) throw new Problem('user_not_found', { detail: `${email} is not an operator.` })
      await call('removeOperator', { params: { operatorId: found.id } })
      host.print(options, {}, `Removed operator ${found.id}.`)
    })
}
