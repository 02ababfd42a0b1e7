// Writes the functions of a part of the API, and the iterators of its lists, for scripts/sdk-part.js.
import {
  bodyOf,
  capitalize,
  databasePath,
  iteratorOf,
  methodOf,
  queryName,
  successOf,
  typeOf,
} from './sdk-types.js'

/** The options of a call whose request may have a header. */
const confirmed = 'Usher-Confirmation'
const proof = 'Usher-Proof'
export const optionsWith = {
  'Idempotency-Key': 'PostOptions',
  'If-Match': 'ChangeOptions',
  [confirmed]: 'ConfirmOptions',
  [proof]: 'WorkOptions',
}

/** Returns the declaration of the function of each operation. */
export const methodDeclarationsOf = (part) =>
  part.operations.map((operation) => {
    const { schema } = successOf(operation)
    const name = methodOf(operation)
    // The client of users sends an Idempotency-Key of its own.
    const headers = part
      .headersOf(operation)
      .filter((header) => part.isPaged || [confirmed, proof].includes(header))
    const options = headers.map((header) => optionsWith[header])
    const parameters = [
      ...argumentsOf(part, operation),
      `options?: ${['CallOptions', ...options].join(' & ')}`,
    ]
    return `/** ${operation.description} */
${name}(${parameters.join(', ')}): Promise<${part.result}<${schema ? typeOf(schema) : 'undefined'}, ${capitalize(name)}ErrorCode>>`
  })

/** Returns the declaration of the iterator of each list. */
export const iteratorDeclarationsOf = (part) =>
  part.operations.flatMap((operation) => {
    const items = part.itemsOf(operation)
    if (!items) return []
    const { schema } = successOf(operation)
    const parameters = [...argumentsOf(part, operation), 'options?: CallOptions'].join(', ')
    return `/**
 * Yields the items of every page of \`${methodOf(operation)}\`, and requests a page when it is needed.
 *
 * @throws {UsherError} if a request fails
 */
${iteratorOf(operation)}(${parameters}): AsyncGenerator<${typeOf(schema)}['${items}'][number], void, undefined>`
  })

/** Returns the parameters of a function before the options: ids, and the body or the query. */
function argumentsOf(part, operation) {
  const body = bodyOf(operation)
  return [
    ...idsOf(operation).map((id) => `${id}: string`),
    ...(body ? [body.isRequired ? `body: ${body.argument}` : `body?: ${body.argument} | undefined`] : []),
    ...(part.queryOf(operation).length > 0 ? [`query?: ${queryName(operation)} | undefined`] : []),
  ]
}

/** Returns the names of the path parameters below a database. */
const idsOf = ({ path }) =>
  [...path.slice(databasePath.length).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
