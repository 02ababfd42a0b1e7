import { expect, it } from 'vitest'
import { runUsher } from '../support/command-line.js'

/** Runs without settings, because help and usage errors need no store. */
const usher = (command: string) => runUsher(command.split(' '), {})

it.each([
  'user create',
  'user list',
  'user show',
  'user disable',
  'user enable',
  'user delete',
  'user set-password',
  'user revoke-tokens',
  'user factors',
  'user remove-factors',
  'user unlock',
  'tenant create',
  'tenant list',
  'tenant rename',
  'tenant delete',
  'tenant add-user',
  'tenant remove-user',
  'workspace list',
  'workspace delete',
  'database list',
  'database show',
  'database set',
  'database delete',
  'keys list',
  'keys rotate',
  'keys retire',
  'keys rewrap',
  'store distribute',
])('%s --help prints its usage with --json', async (command) => {
  const { code, stdout, stderr } = await usher(`${command} --help`)
  expect(stdout).toMatch(new RegExp(`^Usage: usher ${command} \\[options\\]`))
  expect(stdout).toContain('--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it.each([
  ['user nope', "unknown command 'nope'"],
  ['user show acme/app', "missing required argument 'user'"],
  ['user list acme', 'Expected WORKSPACE/NAME.'],
  ['user list acme/app --limit 0', "option '--limit <count>' argument '0' is invalid"],
  ['user list acme/app --limit 1001', 'Expected a whole number from 1 to 1000.'],
  ['user list acme/app --after x', "option '--after <last>' argument 'x' is invalid"],
  ['user create acme/app ada@example.com --role admin', '--role requires --tenant'],
  ['user create acme/app ada', "'ada' is invalid for argument 'email'. It must be an email address."],
  [
    'user create acme/app ada@example.com --name=',
    "option '--name <name>' argument '' is invalid. It must not be blank.",
  ],
  ['tenant rename acme/app 1 Engines', "'1' is invalid for argument 'tenant'. Expected a UUID"],
  [
    `tenant create acme/app ${'n'.repeat(256)}`,
    "is invalid for argument 'name'. It must have at most 255 characters.",
  ],
  [
    'tenant add-user acme/app Engines ada@example.com',
    "'Engines' is invalid for argument 'tenant'. Expected a UUID, as printed by the list command.",
  ],
  ['database list --after acme', 'Expected WORKSPACE/NAME.'],
  ['keys rotate acme/app --activate-in soon', "option '--activate-in <seconds>' argument 'soon' is invalid"],
  ['keys retire acme/app', "missing required argument 'kid'"],
])('usher %s is a usage error', async (command, line) => {
  const { code, stdout, stderr } = await usher(command)
  expect(stderr).toMatch(/^usher: /)
  expect(stderr).toContain(line)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
})
