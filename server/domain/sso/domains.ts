import { randomBytes } from 'node:crypto'
import type { AddSsoDomainBody, SsoDomain } from '@usher/contract'
import { isUniqueViolation } from '../../store/errors.js'
import {
  type DomainRow,
  deleteDomain,
  findDomain,
  findDomains,
  insertDomain,
  lockHolder,
  updateDomain,
} from '../../store/queries/sso-domains.js'
import type { Queries } from '../../store/store.js'
import { type Change, type Fact, type Outcome, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DnsAnswer, findTexts, hasRecord, recordName, recordText } from '../text-records.js'
import { pendingMilliseconds } from './check-domains.js'
import { requireDomainName } from './domain-name.js'
import { createBySetup, lockSetup, mailsToOwners, requireConfirmedSetup, type SetupRequest } from './setup.js'

/** Domains that a tenant may have. */
export const maxDomains = 20

/** How long the record of a tenant must be missing before another tenant can prove the domain. */
const transferMilliseconds = 24 * 3_600_000

type OfDomain = SetupRequest<unknown, { domain: string }>

/** Returns the body of a domain. */
export const domainBody = (row: DomainRow): SsoDomain => ({
  domain: row.domain,
  state: row.state,
  record: { type: 'TXT', name: recordName(row.domain), value: recordText(row) },
  createdAt: row.createdAt.toISOString(),
  provenAt: row.provenAt?.toISOString() ?? null,
  missingSince: row.missingSince?.toISOString() ?? null,
  expiresAt:
    row.state === 'pending' ? new Date(row.createdAt.getTime() + pendingMilliseconds).toISOString() : null,
})

/** Returns the domains of a tenant. */
export const listDomains = (store: Queries, key: Pick<DomainRow, 'databaseId' | 'tenantId'>) =>
  findDomains(store, key)

/** Adds a domain, or returns the one that the tenant has. @throws {Problem} `validation_failed`; `sso_full` */
export async function addSsoDomain(
  context: AppContext,
  request: SetupRequest<AddSsoDomainBody>,
): Promise<SsoDomain> {
  await requireConfirmedSetup(context, request)
  const domain = requireDomainName(request.body.domain)
  return createBySetup(context, request, {
    operation: 'addSsoDomain',
    prepare: async () => (change) => storeDomain(change, request.params.tenantId, domain),
    responseOf: domainBody,
  })
}

async function storeDomain(change: Change, tenantId: string, domain: string): Promise<Outcome<DomainRow>> {
  await lockSetup(change, tenantId)
  const { now } = change
  const key = { databaseId: change.database.id, tenantId }
  const domains = await findDomains(change, key)
  const former = domains.find((each) => each.domain === domain)
  if (former && !isExpired(former, now)) return { result: former, facts: [] }
  if (former) await deleteDomain(change, former)
  else if (domains.length >= maxDomains)
    throw new Problem('sso_full', { detail: `Tenant ${tenantId} already has ${maxDomains} domains.` })
  const token = randomBytes(16).toString('hex')
  const unproven = { provenAt: null, missingSince: null, checkedAt: null }
  const row: DomainRow = { ...key, domain, token, state: 'pending', createdAt: now, ...unproven }
  await insertDomain(change, row)
  return outcomeOf({ result: row, facts: [{ type: 'sso.domain_added', tenantId, domain }] })
}

const outcomeOf = <Result>(outcome: Outcome<Result>): Outcome<Result> => ({
  ...outcome,
  events: outcome.facts.slice(0, 1).map(({ tenantId }) => ({ type: 'sso.changed', tenantId }) as const),
})

/** A sweep removes it. */
const isExpired = ({ state, createdAt }: DomainRow, now: Date) =>
  state === 'pending' && now.getTime() - createdAt.getTime() >= pendingMilliseconds

/** Removes a domain. Does nothing if the tenant does not have it. */
export async function removeSsoDomain(context: AppContext, request: OfDomain) {
  await requireConfirmedSetup(context, request)
  const { tenantId } = request.params
  const domain = request.params.domain.toLowerCase()
  await runChange(context, request, async (change) => {
    await lockSetup(change, tenantId)
    const isRemoved = await deleteDomain(change, { databaseId: change.database.id, tenantId, domain })
    return outcomeOf({
      result: undefined,
      facts: isRemoved ? [{ type: 'sso.domain_removed', tenantId, domain }] : [],
    })
  })
}

/**
 * Proves a domain by its record.
 *
 * @throws {Problem} `domain_not_found`; `domain_unproven` with what was found; `domain_taken`
 */
export async function checkSsoDomain(context: AppContext, request: OfDomain): Promise<SsoDomain> {
  await requireConfirmedSetup(context, request)
  return proveDomain(context, request, { isForced: false })
}

/** Proves a domain that may belong to another tenant, which loses it. @throws {Problem} as {@link checkSsoDomain} */
export async function transferSsoDomain(
  context: AppContext,
  request: DatabaseRequest & Pick<OfDomain, 'params'>,
): Promise<SsoDomain> {
  await requireTenant(context.store, request.database, request.params.tenantId)
  return proveDomain(context, request, { isForced: true })
}

async function proveDomain(
  context: AppContext,
  request: DatabaseRequest & Pick<OfDomain, 'params'>,
  { isForced }: { isForced: boolean },
) {
  const { tenantId } = request.params
  const domain = request.params.domain.toLowerCase()
  await requireDomain(context.store, request, new Date(context.now()))
  const answer = await findTexts(context, domain)
  // Stored even if the domain belongs to another tenant: from now on the record of that one is missing.
  const { row, isTaken } = await runChange(context, request, async (change) => {
    await lockSetup(change, tenantId)
    const found = await requireDomain(change, request, change.now)
    requireFound(found, answer)
    const holder = await lockHolder(change, { databaseId: found.databaseId, domain })
    const facts: Fact[] = []
    const isOther = holder !== undefined && holder.tenantId !== tenantId
    if (isOther && !isForced && !(await isLeft(change, holder, answer))) {
      const isNoticed = holder.state === 'proven' && !hasRecord(holder, answer)
      const mails = isNoticed
        ? await mailsToOwners(change, holder.tenantId, { type: 'sso_domain_missing', domain })
        : []
      return { result: { row: found, isTaken: true }, facts, mails }
    }
    if (isOther) {
      await updateDomain(change, { ...holder, state: 'lost' }, holder.state)
      facts.push({ type: 'sso.domain_lost', tenantId: holder.tenantId, domain })
    }
    const times = { provenAt: found.provenAt ?? change.now, missingSince: null, checkedAt: change.now }
    const row: DomainRow = { ...found, state: 'proven', ...times }
    await updateDomain(change, row, found.state)
    if (found.state === 'pending' || found.state === 'lost')
      facts.push({ type: 'sso.domain_proven', tenantId, domain })
    const mails = isOther
      ? await mailsToOwners(change, holder.tenantId, { type: 'sso_domain_missing', domain })
      : []
    return { result: { row, isTaken: false }, facts, mails }
  }).catch((error) => {
    // Another tenant has proven it at the same time.
    throw isUniqueViolation(error) ? domainTaken(domain) : error
  })
  if (isTaken) throw domainTaken(domain)
  return domainBody(row)
}

const domainTaken = (domain: string) =>
  new Problem('domain_taken', { detail: `Another tenant has proven ${domain}.` })

async function requireDomain(
  store: Queries,
  { database, params }: DatabaseRequest & Pick<OfDomain, 'params'>,
  now: Date,
) {
  const { tenantId } = params
  const domain = params.domain.toLowerCase()
  const row = await findDomain(store, { databaseId: database.id, tenantId, domain })
  if (row && !isExpired(row, now)) return row
  throw new Problem('domain_not_found', { detail: `Tenant ${tenantId} has no domain ${domain}.` })
}

/** @throws {Problem} `domain_unproven` */
function requireFound(row: DomainRow, answer: DnsAnswer) {
  if (hasRecord(row, answer)) return
  const { texts, failure } = answer
  const text = recordText(row)
  const name = recordName(row.domain)
  const shown = texts?.slice(0, 5).map((each) => JSON.stringify(each.slice(0, 100)))
  const found =
    shown === undefined
      ? `DNS gave no answer (${failure})`
      : shown.length > 0
        ? `found ${shown.join(', ')}`
        : 'found no record'
  throw new Problem('domain_unproven', { detail: `Asked for the TXT record "${text}" of ${name}: ${found}.` })
}

/** Returns whether the record of the tenant that has a domain is missing for long enough. Notes since when it is missing. */
async function isLeft(change: Change, holder: DomainRow, answer: DnsAnswer) {
  const { now } = change
  const checked = { ...holder, checkedAt: now }
  if (hasRecord(holder, answer)) {
    await updateDomain(change, { ...checked, state: 'proven', missingSince: null }, holder.state)
    return false
  }
  if (holder.missingSince) return now.getTime() - holder.missingSince.getTime() >= transferMilliseconds
  await updateDomain(change, { ...checked, state: 'missing', missingSince: now }, holder.state)
  return false
}
