import type { SsoDomain } from '../../schemas.js'
import { action, submit } from '../actions.js'
import { type Line, line, type Screen } from '../view.js'
import { answerOf, copied, type Setup, type SetupSection } from './setup.js'

const addScreen = ({ usher, tenantId }: Setup): Screen => ({
  name: 'sso-domain',
  title: line('ssoAddDomain'),
  fields: [{ name: 'domain', label: line('ssoDomain'), type: 'text', autocomplete: 'off' }],
  actions: [
    submit('add', ({ domain = '' }) =>
      answerOf(usher.addSsoDomain(tenantId, { domain: domain.trim() }), () => ({ status: line('saved') })),
    ),
  ],
})

const removeScreen = ({ usher, tenantId }: Setup, { domain }: SsoDomain): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [{ text: domain }],
  actions: [
    action('remove', 'danger', () =>
      answerOf(usher.removeSsoDomain(tenantId, domain), () => ({ status: line('removed') })),
    ),
  ],
})

/** Says what a domain counts for. */
function stateOf({ state, missingSince, expiresAt, createdAt }: SsoDomain): Line {
  if (state === 'proven') return line('ssoProven')
  if (state === 'missing') return line('ssoMissing', { date: new Date(missingSince ?? createdAt) })
  if (state === 'lost') return line('ssoLost')
  return line('ssoPending', { date: new Date(expiresAt ?? createdAt) })
}

/** The mail domains of a tenant, with the records that prove them. */
export const domains: SetupSection = (setup) => {
  const { sso, usher, tenantId, dialog } = setup
  return {
    name: 'sso-domains',
    title: line('ssoDomains'),
    lines: [line('ssoDomainsHint')],
    items: sso.domains.map((each) => {
      const { domain, state, record } = each
      const isProven = state === 'proven'
      const named = (name: 'ssoCopyRecord' | 'ssoCheck' | 'remove', run: () => unknown) => ({
        ...action(name, 'secondary', run as () => undefined),
        id: `${name}-${domain}`,
      })
      return {
        id: domain,
        title: { text: domain },
        details: [
          stateOf(each),
          ...(isProven ? [] : [line('ssoRecord', { name: record.name, value: record.value })]),
        ],
        actions: [
          ...(isProven
            ? []
            : [
                named('ssoCopyRecord', () => copied(record.value)),
                named('ssoCheck', () =>
                  answerOf(usher.checkSsoDomain(tenantId, domain), () => ({ status: line('ssoProven') })),
                ),
              ]),
          named('remove', () => dialog(removeScreen(setup, each))),
        ],
      }
    }),
    actions: [action('ssoAddDomain', 'secondary', () => dialog(addScreen(setup)))],
  }
}
