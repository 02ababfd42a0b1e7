import { type Client, endpoints } from '../../client.js'
import type { Endpoint } from '../../endpoint.js'
import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { Result } from '../../result.js'
import { failedReturn } from '../../returned-logins.js'
import type { ErrorCode } from '../../schemas.js'

type Operation = (...given: unknown[]) => Promise<Result<{ confirmation?: { value: string } }, ErrorCode>>

/** Returns whether an error says that the server needs to know who the user is, or that the password is wrong. */
export const lacksProof = ({ code, errors }: UsherError<string>) =>
  code === 'step_up_required' || errors.some(({ path }) => path === 'password')

/**
 * Returns the operations of a client. One that needs a confirmation asks who the user is, and is sent again. The confirmation then
 * counts for later ones, until the server no longer accepts it.
 *
 * @param ask returns a confirmation, or undefined if the user has cancelled
 */
export function confirming(
  client: Client,
  ask: () => Promise<Result<string | undefined, ErrorCode>>,
): Operations {
  let confirmation: string | undefined
  const operations = Object.entries<Endpoint>(endpoints).map(([name, { path, codes, hasBody }]) => {
    const operation = client[name as keyof Operations] as Operation
    const needsProof = codes.includes('step_up_required')
    // The body follows the ids of the path. Single sign-on takes the confirmation after it.
    const place = path.split('{').length - 1 + Number(path.includes('/sso') && hasBody === true)
    const confirmed: Operation = async (...given) => {
      for (;;) {
        if (needsProof && confirmation) given[place] = { ...(given[place] as object), confirmation }
        const result = await operation(...given)
        confirmation = result.data?.confirmation?.value ?? confirmation
        if (!result.error || !lacksProof(result.error)) return result
        const asked = await ask()
        if (asked.error) return asked
        if (!asked.data) return failedReturn('access_denied') as never
        confirmation = asked.data
      }
    }
    return [name, confirmed]
  })
  return Object.fromEntries(operations)
}
