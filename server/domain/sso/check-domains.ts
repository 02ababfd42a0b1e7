import { findPathOfDatabase } from '../../store/queries/databases.js'
import type { DomainRow } from '../../store/queries/sso-domains.js'
import { findDomainsToCheck, updateDomain } from '../../store/queries/sso-domains.js'
import type { Log } from '../../telemetry/audit.js'
import { type Change, type ChangeContext, type Fact, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import {
  findDatabaseRow,
  isBeingDeleted,
  type RuleDatabase,
  ruleDatabase,
} from '../databases/find-database.js'
import { unless } from '../problem.js'
import { type DnsAnswer, findTexts, hasRecord } from '../text-records.js'
import { mailsToOwners } from './setup.js'

const dayMilliseconds = 86_400_000
/** How long a domain waits for its record. */
export const pendingMilliseconds = 7 * dayMilliseconds
/** How long a domain counts whose record is missing. */
const missingMilliseconds = 14 * dayMilliseconds
/** A domain that was looked up since then is not looked up again. */
const recentMilliseconds = 6 * 3_600_000

/** Look-ups at the same time, and in one sweep of a database: the others follow in the next one, 12 hours later. */
const atATime = 8
const inOneSweep = 10_000
const pageRows = 200

/** What looking domains up needs. */
export interface DomainContext
  extends Pick<AppContext, 'store' | 'now' | 'resolveTxt'>,
    Pick<ChangeContext, 'deliver'> {}

interface Checking {
  log: Log
  stopped: AbortSignal
}

/**
 * Looks up the records of the domains of a database. A domain whose record is missing for 14 days is lost. When DNS gives no answer
 * the state does not change.
 */
export async function checkDomains(context: DomainContext, databaseId: string, { log, stopped }: Checking) {
  const { store, now } = context
  // All rows that are looked up get a later time, so that each page has other ones.
  const since = new Date(now() - recentMilliseconds)
  let database: RuleDatabase | undefined
  for (let count = 0; count < inOneSweep && !stopped.aborted; count += pageRows) {
    const rows = await findDomainsToCheck(store, databaseId, { since, limit: pageRows })
    if (rows.length > 0) database ??= await findDatabaseOf(context, databaseId)
    if (!database) return
    const found = database
    const queue = [...rows]
    const checkNext = async () => {
      for (let row = queue.shift(); row && !stopped.aborted; row = queue.shift())
        await checkDomain(context, { database: found, log }, row)
    }
    await Promise.all(Array.from({ length: atATime }, checkNext))
    if (rows.length < pageRows) return
  }
}

async function findDatabaseOf({ store }: DomainContext, databaseId: string) {
  const path = await findPathOfDatabase(store, databaseId)
  const row = path && (await findDatabaseRow(store, path))
  return path && row && !isBeingDeleted(row) ? ruleDatabase(row, path) : undefined
}

async function checkDomain(
  context: DomainContext,
  { database, log }: { database: RuleDatabase; log: Log },
  row: DomainRow,
) {
  const answer = await findTexts(context, row.domain)
  const request = { database, caller: { log }, actor: { kind: 'operator' } } as const
  await runChange(context, request, (change) => storeAnswer(change, row, answer)).catch(
    unless('database_not_found'),
  )
}

/** Stores what DNS says about a domain, unless it has changed meanwhile. */
async function storeAnswer(change: Change, row: DomainRow, answer: DnsAnswer): Promise<Outcome<undefined>> {
  const { now } = change
  const { tenantId, domain } = row
  const wanted = { ...row, ...stateOf(row, answer, now), checkedAt: now }
  const isStored = await updateDomain(change, wanted, row.state)
  if (!isStored || wanted.state === row.state) return { result: undefined, facts: [] }
  const isMissing = wanted.state === 'missing'
  const type = isMissing ? 'sso.domain_missing' : wanted.state === 'lost' ? 'sso.domain_lost' : undefined
  const facts: Fact[] = type ? [{ type, tenantId, domain }] : []
  const mails = isMissing ? await mailsToOwners(change, tenantId, { type: 'sso_domain_missing', domain }) : []
  return { result: undefined, facts, mails }
}

function stateOf(row: DomainRow, answer: DnsAnswer, now: Date): Pick<DomainRow, 'state' | 'missingSince'> {
  const { state, missingSince } = row
  if (hasRecord(row, answer)) return { state: 'proven', missingSince: null }
  if (!answer.texts) return { state, missingSince }
  if (!missingSince) return { state: 'missing', missingSince: now }
  const isLost = now.getTime() - missingSince.getTime() >= missingMilliseconds
  return { state: isLost ? 'lost' : 'missing', missingSince }
}
