// An application that uses the SDK. package.test.ts compiles it again with only the packed SDK.
import {
  type Client,
  type ClientOptions,
  createClient,
  type ErrorMessages,
  type Fetch,
  type LoginErrorCode,
  type User,
  UsherError,
} from '@usher/sdk'
import { createManagementClient, type ManagementOptions } from '@usher/sdk/management'

const options: ClientOptions = {
  baseUrl: 'https://users.example.com',
  workspace: 'demo',
  database: 'app',
  fetch,
  token: undefined,
  timeoutMs: 5_000,
}

export const client: Client = createClient(options)

/** Lists every code of login: a missing or additional one does not compile. */
export async function statusOfLogin(email: string, password: string): Promise<string> {
  const { data, error } = await client.login({ email, password })
  if (!error) return data.token.jwt
  switch (error.code) {
    case 'malformed_request':
    case 'malformed_json':
    case 'validation_failed':
      return error.errors.map(({ path, code }) => `${path}: ${code}`).join()
    case 'invalid_credentials':
    case 'database_not_found':
    case 'request_timeout':
    case 'payload_too_large':
    case 'unsupported_media_type':
    case 'too_many_attempts':
    case 'second_factor_required':
    case 'enrolment_required':
    case 'headers_too_large':
    case 'internal_error':
    case 'unavailable':
      return `${error.title} (${error.requestId})`
    case 'no_answer':
      return String(error.cause)
    default:
      return error.code satisfies never
  }
}

export async function nameOfUser(signal: AbortSignal): Promise<string> {
  const { data, error } = await client.me({ signal })
  if (error) throw error
  const user: User = data
  return user.preferredName ?? user.email
}

export const signUp = (newTenant: string | undefined) =>
  client.createUser({ email: 'ada@example.com', password: 'correct horse battery', newTenant })

export const isWrongPassword = (error: unknown) =>
  error instanceof UsherError && error.code === 'invalid_credentials'

export const messages: Partial<ErrorMessages> = { email_taken: 'Schon vergeben' }

export const loginCode: LoginErrorCode = 'invalid_credentials'
// @ts-expect-error: not a code of login
export const otherCode: LoginErrorCode = 'email_taken'
// @ts-expect-error: data and error are never both undefined
export const both: Awaited<ReturnType<Client['me']>> = { data: undefined, error: undefined }

export const ownFetch: Fetch = (url, init) => fetch(url, { ...init, redirect: 'error' })

const managementOptions: ManagementOptions = { ...options, apiKey: 'usher_key' }

/** Returns the address of each user of a tenant. */
export async function addressesOf(tenant: string): Promise<string[]> {
  const usher = createManagementClient(managementOptions)
  const addresses: string[] = []
  for await (const { email } of usher.users({ tenant, limit: 100 })) addresses.push(email)
  return addresses
}

/** Returns whether the user exists. */
export async function hasUser(userId: string): Promise<boolean> {
  const { data, error } = await createManagementClient(managementOptions).user(userId)
  if (error && error.code !== 'user_not_found') throw error
  return data !== undefined
}
