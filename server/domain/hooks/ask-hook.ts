import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SignUpHookAnswer, type SignUpHookRequest } from '@usher/contract/sign-up-hook'
import { textUpTo } from '../limited-text.js'
import { createSignedPost, type WebhookSettings } from '../signed-request.js'

/** Time limit of a request with its answer: a person waits for it. */
const hookMilliseconds = 2_000
const maxBytes = 64 * 1024

/** The hook has not answered as it should. The message contains no part of the URL but its origin. */
export class HookError extends Error {
  override name = 'HookError'
}

/** A hook with its secret. */
export interface Hook {
  url: string
  secret: string
}

/** Asks a hook. @throws {HookError} */
export type AskHook = (hook: Hook, request: SignUpHookRequest) => Promise<SignUpHookAnswer>

/**
 * Creates a function that asks hooks. It reads JSON of a limited size in a limited time.
 *
 * @param now for the signature
 */
export function createHookSender(settings: WebhookSettings, now: () => number): AskHook {
  const post = createSignedPost(settings, { onlyHttps: true })
  return async (hook, request) => {
    const signal = AbortSignal.timeout(hookMilliseconds)
    try {
      const signed = { ...hook, id: randomUUID(), body: JSON.stringify(request) }
      return await readAnswer(await post(signed, { now: new Date(now()), signal }))
    } catch (error) {
      if (signal.aborted) throw new HookError(`no answer within ${hookMilliseconds / 1000} s`)
      const { code, message } = error as NodeJS.ErrnoException
      throw error instanceof HookError ? error : new HookError(code ?? message)
    }
  }
}

async function readAnswer(response: IncomingMessage): Promise<SignUpHookAnswer> {
  if (response.statusCode !== 200) {
    response.destroy()
    throw new HookError(`status ${response.statusCode}, not 200`)
  }
  const tooLong = () => new HookError(`the answer has more than ${maxBytes / 1024} KiB`)
  const text = await textUpTo(maxBytes, response, tooLong)
  const { data, error } = SignUpHookAnswer.safeParse(parsed(text))
  if (data) return data
  const [issue] = error.issues
  throw new HookError(`the answer is wrong: ${issue?.path.join('.') || 'it'} ${issue?.message ?? ''}`.trim())
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HookError('the answer is not JSON')
  }
}
