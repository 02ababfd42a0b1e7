import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import { reportError } from '../../server/cli/report-error.js'
import { whileRefusing } from '../api/refused-writes.js'
import { startUsher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { it } from '../support/operator.js'
import { freePort } from '../support/postgres-server.js'

const id = '01a1fc71-4073-7005-9035-32d538fe4e27'

/** Returns the last line of stderr, which has the error. */
const errorIn = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')

it('--json reports an error as a line of JSON with a stable code, and the exit code shows its reason', async ({
  usher,
  database,
}) => {
  const { path, workspaceSlug } = database
  const cases = [
    ['database show no/such', 'database_not_found', 3],
    ['workspace delete no-such', 'workspace_not_found', 3],
    [`user show ${path} ${id}`, 'user_not_found', 3],
    [`tenant rename ${path} ${id} Engines`, 'tenant_not_found', 3],
    [`keys retire ${path} no-such`, 'key_not_found', 3],
    [`outbox drop ${path} ${id}`, 'message_not_found', 3],
    [`workspace create ${workspaceSlug}`, 'workspace_exists', 4],
    [`database create ${path}`, 'database_exists', 4],
    [`workspace delete ${workspaceSlug}`, 'workspace_not_empty', 1],
    [`user send-reset ${path} ${id}`, 'user_not_found', 3],
    [`database set ${path}`, 'usage_error', 2],
    ['database set acme', 'usage_error', 2],
    ['user nope', 'usage_error', 2],
  ] as const
  for (const [line, code, exitCode] of cases) {
    const failed = await usher.operator(`${line} --json`)
    expect({ line, code: failed.code, stdout: failed.stdout }).toEqual({ line, code: exitCode, stdout: '' })
    expect(failed.stderr).toMatch(/^\{.*\}\n$/)
    const problem = errorIn(failed.stderr)
    expect(problem).toMatchObject({ code, exitCode, title: expect.stringMatching(/^[A-Z][^.]+$/) })
    expect(problem.detail).not.toMatch(/^(error|usher):/)
    expect((await usher.operator(line)).code).toBe(exitCode)
  }
  await database.signedUp({ email: 'ada@example.com' })
  const taken = await usher.operator(`user create ${path} ada@example.com --no-password --json`)
  expect([taken.code, errorIn(taken.stderr).code]).toEqual([4, 'email_taken'])
})

it('--json reports an unreachable store and an invalid configuration', async () => {
  const env = {
    DATABASE_URL: `postgresql://postgres@127.0.0.1:${await freePort()}/usher`,
    USHER_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  }
  const unreachable = await runUsher(['database', 'list', '--json'], env)
  expect([unreachable.code, errorIn(unreachable.stderr)]).toEqual([
    5,
    {
      code: 'store_unavailable',
      title: 'Store is unavailable',
      detail: 'cannot reach the store. Check DATABASE_URL, and that Postgres is running',
      exitCode: 5,
    },
  ])
  const invalid = await runUsher(['database', 'list', '--json'], { ...env, USHER_MASTER_KEY: 'hunter2' })
  expect([invalid.code, errorIn(invalid.stderr).code]).toEqual([2, 'configuration_invalid'])
})

it.for([
  [
    'deadlock_detected',
    /^5 usher: another change was in the way \(.*deadlock.*\)\. Run the command again\n$/,
  ],
  ['lock_not_available', /^5 usher: another change was in the way \(.*\)\. Run the command again\n$/],
  ['read_only_sql_transaction', /^5 usher: Postgres refused a statement: .*\. Run the command again when/],
  ['disk_full', /^5 usher: Postgres refused a statement: .*\. Run the command again when/],
] as const)(
  'says what Postgres said if it responds and refuses a statement: %s',
  async ([condition, expected], { usher }) => {
    const outcome = await whileRefusing(usher.store, 'workspace', condition, () =>
      usher.outcome('workspace create refused'),
    )
    expect(outcome).toMatch(expected)
  },
)

it('says that a transaction took too long, and not that the store cannot be reached', async ({ usher }) => {
  const slow = usher.store.prisma.$transaction(
    async (transaction) => {
      await transaction.$queryRawUnsafe('SELECT count(*) FROM generate_series(1, 100000)')
      await transaction.$queryRawUnsafe('SELECT 1')
    },
    { timeout: 1 },
  )
  const error = await slow.catch((error: unknown) => error)
  const stderr = new PassThrough({ encoding: 'utf8' })
  expect(reportError(error, { json: false, stderr })).toBe(5)
  expect(stderr.read()).toBe('usher: another change was in the way for too long. Run the command again\n')
})

it('the error for a misspelt database or workspace suggests a similar name', async ({ usher }) => {
  await usher.json('workspace create initech')
  await usher.json('database create initech/payroll')
  for (const typed of ['initech/payrol', 'initehc/payroll', 'Initech/Payroll', 'initech/payrolls']) {
    expect(await usher.outcome(`user list ${typed}`)).toBe(
      `3 usher: database ${typed} does not exist. Did you mean initech/payroll?\n`,
    )
  }
  const { stderr } = await usher.operator('database delete initech/pay-roll --yes --json')
  expect(errorIn(stderr)).toMatchObject({ code: 'database_not_found', suggestion: 'initech/payroll' })
  expect(await usher.outcome('workspace delete inittech')).toBe(
    '3 usher: workspace inittech does not exist. Did you mean initech?\n',
  )
  expect(await usher.outcome('database create initec/app')).toBe(
    '3 usher: workspace initec does not exist. Did you mean initech? Create it with: npx @usher/server workspace create initec\n',
  )
  for (const typed of ['initech/orders', 'initech/payroll2'])
    expect(await usher.outcome(`user list ${typed}`)).toBe(`3 usher: database ${typed} does not exist\n`)
})

it.for([['openapi'], ['--help'], ['database', 'create', '--help']])(
  'usher %s ends without an error if the reader of its output has gone',
  async (args) => {
    const { child, ended } = startUsher([...args])
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  },
)

it('a command ends without a second error if the reader of stderr has closed the pipe', async () => {
  const { child } = startUsher(['nope'])
  child.stderr?.destroy()
  const [code] = await once(child, 'exit')
  expect(code).toBe(2)
})
