import { action, submit } from '../actions.js'
import { roleName } from '../role.js'
import { type Field, type Line, line, type Screen, type Shown } from '../view.js'
import { answerOf, type Owner, type Setup, type SetupSection } from './setup.js'

/** Returns a list to choose from. */
const choice = (
  name: string,
  label: Line,
  value: string,
  options: readonly (readonly [value: string, label: Shown])[],
): Field => ({
  name,
  label,
  value,
  type: 'text',
  autocomplete: 'off',
  options: options.map(([each, text]) => ({ value: each, label: text })),
})

const hour = 3_600
const ages = [hour, 8 * hour, 24 * hour, 168 * hour, 720 * hour]

/** Returns a number of seconds in hours or days. */
function ageOf(seconds: number, language: string) {
  const [unit, length] = seconds % (24 * hour) === 0 ? ['day', 24 * hour] : ['hour', hour]
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
  return { text: new Intl.NumberFormat(language, format).format(seconds / length) }
}

const factors = {
  off: ['ssoFactorOff', { acr: null }],
  own: ['ssoFactorOwn', { acr: 'aal2', trustAmr: false }],
  provider: ['ssoFactorProvider', { acr: 'aal2', trustAmr: true }],
} as const
type FactorName = keyof typeof factors

const factorOf = ({ acr, trustAmr }: Setup['sso']): FactorName =>
  acr === null ? 'off' : trustAmr ? 'provider' : 'own'

const changeScreen = ({ usher, tenantId, features, sso, language }: Setup): Screen => {
  const known = [...new Set([...ages, sso.maxAge])].sort((a, b) => a - b)
  const roles = features.roles.map(({ name }) => name).filter((name) => name !== 'owner')
  return {
    name: 'sso-settings',
    title: line('ssoSettings'),
    fields: [
      choice('jit', line('ssoJit'), sso.jit ? 'on' : 'off', [
        ['on', line('ssoJitOn')],
        ['off', line('ssoJitOff')],
      ]),
      choice(
        'defaultRole',
        line('ssoRole'),
        sso.defaultRole,
        roles.map((name) => [name, roleName(name)]),
      ),
      choice(
        'maxAge',
        line('ssoMaxAge'),
        String(sso.maxAge),
        known.map((each) => [String(each), ageOf(each, language())]),
      ),
      choice(
        'factor',
        line('ssoFactor'),
        factorOf(sso),
        Object.entries(factors).map(([name, [text]]) => [name, line(text)]),
      ),
    ],
    actions: [
      submit('save', ({ jit, defaultRole, maxAge, factor }) => {
        const [, acr] = factors[factor as FactorName]
        const changed = {
          jit: jit === 'on',
          maxAge: Number(maxAge),
          ...acr,
          ...(defaultRole && { defaultRole }),
        }
        return answerOf(usher.changeSso(tenantId, changed), () => ({ status: line('saved') }))
      }),
    ],
  }
}

/** Requires single sign-on, and chooses who keeps another way in. */
const requireScreen = ({ usher, tenantId, sso }: Setup, owners: readonly Owner[]): Screen => {
  const [first = owners[0]?.id ?? '', second = ''] = sso.exempt
  const options = owners.map(({ id, name }) => [id, { text: name }] as const)
  return {
    name: 'sso-require',
    title: line('ssoRequire'),
    lines: [line('ssoRequiredOn')],
    fields:
      owners.length > 0
        ? [
            { ...choice('first', line('ssoExempt'), first, options), hint: line('ssoExemptHint') },
            ...(owners.length > 1
              ? [choice('second', line('ssoExemptSecond'), second, [['', line('ssoNobody')], ...options])]
              : []),
          ]
        : [],
    actions: [
      submit('ssoRequire', ({ first, second }) => {
        const exempt = [...new Set([first, second])].filter((id) => id !== undefined && id !== '') as string[]
        const body = { required: true, ...(exempt.length > 0 && { exempt }) }
        return answerOf(usher.changeSso(tenantId, body), () => ({ status: line('saved') }))
      }),
    ],
  }
}

/** Who joins, for how long a login counts, and whether others are refused. */
export const settings: SetupSection = (setup) => {
  const { sso, usher, tenantId, mayRequire, dialog, language } = setup
  const row = (id: string, title: Line, detail: Shown, actions: Screen['actions'] = []) => ({
    id,
    title,
    details: [detail],
    actions,
  })
  const toggle = sso.required
    ? action('ssoAllow', 'secondary', () =>
        answerOf(usher.changeSso(tenantId, { required: false }), () => ({ status: line('saved') })),
      )
    : action('ssoRequire', 'secondary', async () => {
        const { owners, error } = (await setup.owners?.()) ?? { owners: [] }
        return error ? { error } : dialog(requireScreen(setup, owners))
      })
  return {
    name: 'sso-overview',
    title: line('ssoSettings'),
    items: [
      row('jit', line('ssoJit'), line(sso.jit ? 'ssoJitOn' : 'ssoJitOff')),
      row('role', line('ssoRole'), roleName(sso.defaultRole)),
      row('age', line('ssoMaxAge'), ageOf(sso.maxAge, language())),
      row('factor', line('ssoFactor'), line(factors[factorOf(sso)][0])),
      row(
        'required',
        line('ssoRequired'),
        line(sso.required ? 'ssoRequiredOn' : 'ssoRequiredOff'),
        mayRequire ? [toggle] : [],
      ),
    ],
    actions: [action('change', 'secondary', () => dialog(changeScreen(setup)))],
  }
}
