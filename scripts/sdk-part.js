// Writes the types and the endpoints of a part of the API, for scripts/write-sdk-api.js.
import { problems } from '@usher/contract'
import { iteratorDeclarationsOf, methodDeclarationsOf, optionsWith } from './sdk-methods.js'
import {
  bodyOf,
  capitalize,
  codesIn,
  databasePath,
  declaration,
  iteratorOf,
  methodOf,
  nameOf,
  operationsOf,
  parametersIn,
  queryInterfaceIn,
  queryName,
  schemaNamesOf,
  successOf,
} from './sdk-types.js'

/** The order of biome, which sorts imports without regard to case. */
const asBiome = (one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)

const exported = (description, name, members) =>
  `/** ${description} */\nexport interface ${name} {\n${members.join('\n')}\n}\n`

/** A part of the API, of which this writes declarations. */
export class Part {
  /**
   * @param settings.result name of the type of a result
   * @param settings.constantOf returns the name of the constant with the endpoints of a router
   * @param settings.isPaged whether lists have iterators, and calls the options of their headers
   */
  constructor(document, routers, settings) {
    Object.assign(this, { document, routers, ...settings, ...parametersIn(document) })
    this.operations = Object.keys(routers).flatMap((tag) => operationsOf(document, tag))
    this.schemaNames = schemaNamesOf(document, this.operations).sort()
    this.declaredCodesOf = codesIn(document)
    this.declaredCodes = this.operations.flatMap(this.declaredCodesOf)
  }

  /** The types of all bodies and queries. */
  schemas() {
    const { schemas } = this.document.components
    return [
      ...this.schemaNames.map((name) => declaration(name, schemas[name])),
      ...this.operations.map(queryInterfaceIn(this.document)),
    ]
  }

  /** The types of all error codes. */
  errors(messages, code) {
    return `/** A message for each \`error.code\`, such as a translation. */
export interface ${messages} {
${[...new Set(this.declaredCodes)].map((each) => `/** ${problems[each].title}. ${problems[each].advice} */\n${each}: string`).join('\n')}
/** There was no response from Usher. \`cause\` has the reason. Try again later. */
no_answer: string
}

/** Every \`error.code\` of every operation. */
export type ${code} = keyof ${messages}\n`
  }

  /** The constant with the endpoints of some routers. */
  endpoints(tags, description, type) {
    const members = tags.flatMap((tag) =>
      operationsOf(this.document, tag).map((operation) => this.#endpointOf(tag, operation)),
    )
    return `/** ${description} */
export const ${this.constantOf(tags[0])} = {
${members}
} as const satisfies Record<string, ${type}>\n`
  }

  /** The type of the error codes of each operation. */
  errorCodes() {
    return this.operations.map((operation) => {
      const name = methodOf(operation)
      return `/** Every \`error.code\` of \`${name}\`. */
export type ${capitalize(name)}ErrorCode = (typeof ${this.constantOf(operation.tags[0])}.${name}.codes)[number] | 'no_answer'\n`
    })
  }

  /** The interface with the function of each operation. */
  methods(description, name) {
    return exported(description, name, methodDeclarationsOf(this))
  }

  /** The interface with the iterator of each list. */
  iterators(description, name) {
    return exported(description, name, iteratorDeclarationsOf(this))
  }

  /** The names of the types that the functions use. */
  usedSchemas() {
    const queries = this.operations.filter((each) => this.queryOf(each).length > 0).map(queryName)
    const text = [...methodDeclarationsOf(this), ...iteratorDeclarationsOf(this)].join()
    const isUsed = (name) => new RegExp(`\\b${name}\\b`).test(text)
    return [...this.schemaNames, ...queries].filter(isUsed).sort(asBiome).join(', ')
  }

  #resolve(schema) {
    return schema?.$ref ? this.document.components.schemas[nameOf(schema.$ref)] : schema
  }

  /** Returns the names of the headers that an operation takes. Throws if the SDK has no option for one. */
  headersOf(operation) {
    const headers = this.parametersOf(operation, 'header').map(({ name }) => name)
    const unsupported = headers.filter((name) => !optionsWith[name])
    if (unsupported.length > 0)
      throw new Error(`${operation.operationId}: unsupported headers ${unsupported}`)
    return headers
  }

  /** Returns the codes of an operation, the most common ones first: lists that begin alike compress well. */
  #codesOf(operation) {
    const usesOf = (code) => this.declaredCodes.filter((each) => each === code).length
    return this.declaredCodesOf(operation).sort((a, b) => usesOf(b) - usesOf(a))
  }

  /** Returns the field of a page with its items, if the operation is a list with an iterator. */
  itemsOf(operation) {
    const { properties = {} } = this.#resolve(successOf(operation).schema) ?? {}
    const isPage = properties.next && this.queryOf(operation).some(({ name }) => name === 'after')
    return this.isPaged && isPage
      ? Object.keys(properties).find((name) => properties[name].type === 'array')
      : undefined
  }

  /** Returns an endpoint (sdk/endpoint.ts). False members are left out. */
  #endpointOf(tag, operation) {
    const { method, path, operationId, security } = operation
    const { status, schema } = successOf(operation)
    if (!path.startsWith(databasePath)) throw new Error(`${operationId} belongs to no database`)
    const { properties, required = [] } = this.#resolve(schema) ?? {}
    const {
      isRepeatable = method === 'GET',
      signsIn,
      signsOut,
    } = this.routers[tag][operationId].metadata ?? {}
    const isLogin = properties?.token?.$ref === '#/components/schemas/AccessToken'
    const ofToken = properties?.refreshToken ? 'session' : signsIn
    if (isLogin !== !!ofToken) throw new Error(`${operationId}: signsIn must say whose token it returns`)
    const body = bodyOf(operation)
    const items = this.itemsOf(operation)
    const takesToken = security.some(({ bearer }) => bearer)
    const members = {
      method,
      path: path.slice(databasePath.length),
      hasBody: !!body && !body.linesType,
      linesType: body?.linesType,
      hasQuery: this.queryOf(operation).length > 0,
      needsToken: takesToken && security.length > 1 ? 'optional' : takesToken,
      acceptsIdempotencyKey: this.headersOf(operation).includes('Idempotency-Key'),
      isRepeatable,
      status,
      // Many services return an `id`.
      field: required.find((field) => field !== 'id'),
      items,
      iterator: items && iteratorOf(operation),
      signsIn: ofToken,
      signsOut,
      codes: this.#codesOf(operation),
    }
    return `${methodOf(operation)}: ${JSON.stringify(members, (_key, value) => value || undefined)}`
  }
}
