import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SignUpHookAnswer, type SignUpHookRequest } from '@usher/contract/sign-up-hook'
import { textUpTo } from '../limited-text.js'
import { isPrivateOrigin, kept, notPublic, signedHeaders, type WebhookSettings } from '../outbox/webhook.js'
import { createGuardedRequest } from '../public-address.js'

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
 * Creates a function that asks hooks: only https, at public addresses, unless the operator has exempted the origin. It follows no
 * redirect, and reads JSON of a limited size in a limited time.
 *
 * @param now for the signature, which receivers compare with their clocks
 */
export function createHookSender({ privateWebhooks }: WebhookSettings, now: () => number): AskHook {
  const start = createGuardedRequest(kept, notPublic)
  return async ({ url: text, secret }, request) => {
    const url = new URL(text)
    const isPrivate = isPrivateOrigin(privateWebhooks, url)
    if (url.protocol !== 'https:' && !isPrivate)
      throw new HookError('the URL must begin with https. If it is right, add the origin to PRIVATE_WEBHOOKS')
    const body = JSON.stringify(request)
    const headers = {
      ...signedHeaders({ secret, id: randomUUID(), body }, new Date(now())),
      accept: 'application/json',
    }
    const signal = AbortSignal.timeout(hookMilliseconds)
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = start(url, isPrivate, { method: 'POST', headers, signal })
        sent.once('response', resolve).on('error', reject).end(body)
      })
      return await readAnswer(response)
    } catch (error) {
      if (signal.aborted) throw new HookError(`no answer within ${hookMilliseconds / 1000} s`)
      if (error instanceof HookError) throw error
      const { code, message } = error as NodeJS.ErrnoException
      throw new HookError(code ?? message)
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
