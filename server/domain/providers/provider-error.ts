/** Why a login at a provider has failed, as the page of the app learns it. */
export type ProviderErrorCode =
  /** The person has refused, or has cancelled. */
  | 'access_denied'
  /** The code of the provider is not valid, or no longer. */
  | 'code_invalid'
  /** The provider has sent something that is not valid, or does not accept the client. */
  | 'provider_invalid'
  /** The provider has not responded in time, or reports an error of its own. */
  | 'provider_unavailable'

/** A login that a provider has made fail. The message is for operators: no client gets it. */
export class ProviderError extends Error {
  override name = 'ProviderError'

  constructor(
    readonly code: ProviderErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** A provider that limits requests, such as after many made-up codes. */
export class LimitedError extends ProviderError {
  constructor(origin: string) {
    super('provider_unavailable', `${origin} has responded with status 429`)
  }
}

export const invalid = (message: string, cause?: unknown) =>
  new ProviderError('provider_invalid', message, cause)

export const unavailable = (message: string, cause?: unknown) =>
  new ProviderError('provider_unavailable', message, cause)
