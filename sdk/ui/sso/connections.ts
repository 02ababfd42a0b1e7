import { createExternalLogin } from '../../external.js'
import type { SsoConnection } from '../../schemas.js'
import { action, submit } from '../actions.js'
import { type Field, line, type Screen, type Values } from '../view.js'
import { answerOf, copied, type Setup, type SetupSection } from './setup.js'

type FieldName = 'tid' | 'hd' | 'issuer' | 'clientId' | 'secret'

/** The kinds of providers, with what they call the fields. */
const presets = {
  entra: {
    title: 'Microsoft Entra',
    names: {
      tid: 'Directory (tenant) ID',
      clientId: 'Application (client) ID',
      secret: 'Certificates & secrets, Value',
    },
  },
  okta: {
    title: 'Okta',
    names: { issuer: 'https://acme.okta.com', clientId: 'Client ID', secret: 'CLIENT SECRETS, Secret' },
  },
  google_workspace: {
    title: 'Google Workspace',
    names: { hd: 'Primary domain', clientId: 'Client ID', secret: 'Client secret' },
  },
  keycloak: {
    title: 'Keycloak',
    names: {
      issuer: 'https://sso.example.com/realms/acme',
      clientId: 'Client ID',
      secret: 'Credentials, Client Secret',
    },
  },
  auth0: {
    title: 'Auth0',
    names: { issuer: 'https://acme.eu.auth0.com', clientId: 'Client ID', secret: 'Client Secret' },
  },
  oidc: { title: undefined, names: { issuer: 'issuer', clientId: 'client_id', secret: 'client_secret' } },
} as const satisfies Record<string, { title: string | undefined; names: Partial<Record<FieldName, string>> }>
type Preset = keyof typeof presets

const labels = {
  tid: 'ssoDirectory',
  hd: 'ssoHd',
  issuer: 'ssoIssuer',
  clientId: 'ssoClientId',
  secret: 'ssoSecret',
} as const

const presetOf = (name: string | undefined) =>
  name !== undefined && Object.hasOwn(presets, name) ? (name as Preset) : 'oidc'

/** Returns the fields of a kind of provider, with the values of a connection. */
function fieldsOf(preset: Preset, former?: SsoConnection): Field[] {
  const names: Partial<Record<FieldName, string>> = presets[preset].names
  const values: Partial<Record<FieldName, string | null | undefined>> = {
    ...former,
    tid: former && /[\da-f-]{36}/.exec(former.issuer)?.[0],
  }
  return Object.entries(names).map(([key, called]) => {
    const name = key as FieldName
    const isSecret = name === 'secret'
    return {
      name,
      label: line(labels[name]),
      type: isSecret ? 'password' : 'text',
      autocomplete: 'off',
      value: values[name] ?? '',
      isOptional: isSecret,
      hint: isSecret && former?.hasSecret ? line('ssoKept') : line('ssoCalled', { name: called }),
    }
  })
}

/** Returns what was typed. An empty secret means none, or that it stays. */
const typed = (values: Values) =>
  Object.fromEntries(
    Object.entries(values)
      .map(([name, value]) => [name, value.trim()])
      .filter(([name, value]) => name !== 'secret' || value),
  ) as { clientId: string }

/** Asks for the kind of the provider, and then for its client. */
const addScreen = (setup: Setup): Screen => {
  const { usher, tenantId, sso, newId } = setup
  const isUsed = sso.connections.some(({ id }) => id === newId)
  // Undefined in a page of plain HTTP: then the callback URL is known after this.
  const id = (!isUsed && newId) || globalThis.crypto?.randomUUID?.()
  setup.newId = id
  const url = id && sso.callbackUrl.replace('{id}', id)
  const client = (preset: Preset): Screen => ({
    name: 'sso-client',
    title: presets[preset].title ? { text: presets[preset].title } : line('ssoOther'),
    lines: [line('ssoFirst'), ...(url ? [line('ssoCallback', { url })] : [])],
    fields: fieldsOf(preset),
    actions: [
      submit('ssoSave', (values) =>
        answerOf(usher.addSsoConnection(tenantId, { id, preset, ...typed(values) }), () => ({
          status: line('ssoThen'),
        })),
      ),
      ...(url ? [action('ssoCopyCallback', 'secondary', () => copied(url))] : []),
    ],
  })
  return {
    name: 'sso-provider',
    title: line('ssoAdd'),
    fields: [
      {
        name: 'preset',
        label: line('ssoProvider'),
        type: 'text',
        autocomplete: 'off',
        options: Object.entries(presets).map(([value, { title }]) => ({
          value,
          label: title ? { text: title } : line('ssoOther'),
        })),
      },
    ],
    actions: [submit('next', ({ preset }) => ({ screen: client(presetOf(preset)) }))],
  }
}

/** Changes a connection. The fields that are not sent stay. */
const changeScreen = ({ usher, tenantId }: Setup, former: SsoConnection): Screen => {
  const fields = fieldsOf(presetOf(former.preset), former)
  return {
    name: 'sso-client',
    title: { text: former.title },
    fields,
    actions: [
      submit('ssoSave', (values) => {
        const changed = Object.entries(typed(values)).filter(
          ([name, value]) => value !== fields.find((field) => field.name === name)?.value,
        )
        return answerOf(usher.changeSsoConnection(tenantId, former.id, Object.fromEntries(changed)), () => ({
          status: line('saved'),
        }))
      }),
    ],
  }
}

const removeScreen = ({ usher, tenantId }: Setup, { id, title }: SsoConnection): Screen => ({
  name: 'sure',
  title: line('sure'),
  lines: [{ text: title }],
  actions: [
    action('remove', 'danger', () =>
      answerOf(usher.removeSsoConnection(tenantId, id), () => ({ status: line('removed') })),
    ),
  ],
})

/** Logs in with a connection, in a popup. An owner keeps the session, which then opens the tenant. */
async function testLogin({ client }: Setup, { id }: SsoConnection) {
  const external = createExternalLogin(client)
  const { data: link, error } = await external.openPopup({ connection: id })
  if (error) return { error }
  const result = await (client.token ? external.proveTenant(link) : external.finish(link))
  return result?.error ? { error: result.error } : { status: line('ssoTested') }
}

/** The providers of a tenant, with the login that tests each. */
export const connections: SetupSection = (setup) => {
  const { sso, usher, tenantId, dialog, tenantName } = setup
  return {
    name: 'sso-connections',
    title: line('ssoConnect'),
    lines: [line('ssoFor', { name: tenantName }), line(sso.connections.length > 0 ? 'ssoThen' : 'ssoFirst')],
    items: sso.connections.map((each) => {
      const { id, title, issuer, callbackUrl, testedAt, isEnabled } = each
      const named = (name: Parameters<typeof action>[0], run: () => unknown) => ({
        ...action(name, 'secondary', run as () => undefined),
        id: `${name}-${id}`,
      })
      return {
        id,
        title: { text: title },
        details: [
          { text: issuer },
          line('ssoCallback', { url: callbackUrl }),
          testedAt ? line('ssoTestedOn', { date: new Date(testedAt) }) : line('ssoNotTested'),
          ...(isEnabled ? [] : [line('ssoOff')]),
        ],
        actions: [
          named('ssoCopyCallback', () => copied(callbackUrl)),
          ...(isEnabled ? [named('ssoTest', () => testLogin(setup, each))] : []),
          named(isEnabled ? 'turnOff' : 'turnOn', () =>
            answerOf(usher.changeSsoConnection(tenantId, id, { isEnabled: !isEnabled }), () => ({
              status: line('saved'),
            })),
          ),
          named('change', () => dialog(changeScreen(setup, each))),
          named('remove', () => dialog(removeScreen(setup, each))),
        ],
      }
    }),
    actions: [action('ssoAdd', 'secondary', () => dialog(addScreen(setup)))],
  }
}
