import type { Provider } from './find-provider.js'
import { invalid, ProviderError, unavailable } from './provider-error.js'

/** Errors that say that the person has cancelled. The second one is Apple's. */
const cancelled = ['access_denied', 'user_cancelled_authorize']

/** Errors of a provider that may be over at the next login (RFC 6749, section 4.1.2.1). */
const temporary = ['server_error', 'temporarily_unavailable']

/**
 * Returns the code with which a provider has led the browser to the callback.
 *
 * @throws {ProviderError} `access_denied`; `provider_unavailable`; `provider_invalid`, also if another provider has returned (RFC
 * 9207)
 */
export function returnedCode({ isIssuer, sendsIssuer }: Provider, parameters: URLSearchParams): string {
  const { iss, error, code } = Object.fromEntries(
    ['iss', 'error', 'code'].map((name) => [name, onlyOne(parameters, name)]),
  )
  if (iss === undefined ? sendsIssuer : !isIssuer(iss)) throw invalid(`another provider has returned: ${iss}`)
  if (error !== undefined) {
    const message = `the provider has returned the error ${error}`
    if (temporary.includes(error)) throw unavailable(message)
    throw cancelled.includes(error) ? new ProviderError('access_denied', message) : invalid(message)
  }
  if (!code) throw invalid('the provider has returned no code')
  return code
}

function onlyOne(parameters: URLSearchParams, name: string) {
  const [value, ...others] = parameters.getAll(name)
  if (others.length > 0) throw invalid(`the provider has returned ${name} twice`)
  return value
}
