import { contract, operatorRightOf, scopeOf, userTokenOf } from '@usher/contract'
import { managementContract, scopes as scopeTexts } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { table } from './markdown.js'

const operationsOf = (api) => Object.values(api).flatMap((router) => Object.entries(router))

/** Returns the request of an operation, without the path of its database. */
const requestOf = ({ method, path }) =>
  `\`${method} ${path.replace('/workspaces/:workspaceSlug/databases/:databaseName', '…').replace(/:(\w+)/g, '{$1}')}\``

/** Returns a field of a body, with the value of which its right depends. */
const fieldOf = ({ name, is, below }) =>
  is !== undefined
    ? `\`${name}\`: \`${is}\``
    : below !== undefined
      ? `\`${name}\` below ${below}`
      : `\`${name}\``

/** Returns the fields with a right, which the body needs in addition. */
function fieldsWith(fields, column, value) {
  const found = fields.filter((field) => field[column] === value).map(fieldOf)
  return found.length > 0 ? [found.join(', ')] : []
}

function scopeCell({ metadata }) {
  const { fields = [] } = metadata
  const scopes = [...new Set(fields.flatMap(({ scope }) => scope ?? []))]
  return [
    ...(scopeOf(metadata) ? [`\`${scopeOf(metadata)}\``] : []),
    ...scopes.flatMap((scope) =>
      fieldsWith(fields, 'scope', scope).map((names) => `\`${scope}\` for ${names}`),
    ),
  ].join('; ')
}

const wheres = { workspace: '', installation: ' of the installation', anywhere: ' of any workspace' }

function operatorCell({ metadata }) {
  const right = operatorRightOf(metadata)
  if (!right) return ''
  const never = fieldsWith(metadata.fields ?? [], 'operator', 'never').map((names) => `never ${names}`)
  return [`\`${right.operator}\`${wheres[right.in]}`, ...never].join('; ')
}

function confirmationCell({ metadata: { confirms, fields = [] } }) {
  if (confirms === 'always') return 'always'
  if (confirms) return `that of \`${confirms.by}\``
  return fieldsWith(fields, 'operator', 'confirms')
    .map((names) => `for ${names}`)
    .join()
}

/** What an API key allows. */
export const scopes = table(
  ['scope', 'allows'],
  Object.entries(scopeTexts).map(([scope, allows]) => [`\`${scope}\``, allows]),
)

/** What backends and operators may do. */
export const keysAndOperators = table(
  ['operation', 'request', 'what it does', 'scope of a key', 'least role of an operator', 'confirmation'],
  [managementContract, operatorContract]
    .flatMap(operationsOf)
    .map(([name, route]) => [
      `\`${name}\``,
      requestOf(route),
      route.summary,
      scopeCell(route),
      operatorCell(route),
      confirmationCell(route),
    ]),
)

const parts = {
  account: 'account operations',
  tenants: 'tenant operations',
  sso: 'single sign-on',
  loginMail: 'login by mail',
  factors: 'second factors',
  passkeys: 'passkeys',
}

/** What users may do. */
export const users = table(
  ['operation', 'request', 'status', 'what it does', 'token', 'only with'],
  operationsOf(contract).map(([name, route]) => [
    `\`${name}\``,
    requestOf(route),
    Object.keys(route.responses)
      .filter((status) => status < 400)
      .join(', '),
    route.summary,
    userTokenOf(route.metadata) ?? '',
    parts[route.metadata.on] ?? '',
  ]),
)
