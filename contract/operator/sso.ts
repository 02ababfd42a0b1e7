import { initContract } from '@ts-rest/core'
import { failures } from '../failures.js'
import type { DescribedRoutes } from '../metadata.js'
import { SsoDomainPath } from '../sso.js'
import { SsoDomain } from '../sso-bodies.js'
import { ConfirmationHeaders, operatorDatabasePath, operatorWriteProblems } from './fields.js'

const c = initContract()

export const sso = c.router({
  transferSsoDomain: {
    method: 'POST',
    path: `${operatorDatabasePath}/tenants/:tenantId/sso/domains/:domain/transfer`,
    pathParams: SsoDomainPath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: {
      200: SsoDomain,
      ...failures(
        'tenant_not_found',
        'domain_not_found',
        'domain_unproven',
        'route_not_found',
        'step_up_required',
        ...operatorWriteProblems,
      ),
    },
    summary: 'Move a mail domain to a tenant',
    description:
      'Proves the domain as `checkSsoDomain` does, also if another tenant has it, which then loses it. Nobody else can do so before the record of the other tenant is missing for 24 hours.',
    metadata: {
      who: { operator: 'admin', in: 'workspace' },
      on: 'sso',
      confirms: 'always',
      records: { words: 'moved a domain to the tenant' },
    },
  },
} satisfies DescribedRoutes)
