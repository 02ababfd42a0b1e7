import type { FetchInit, VerifierOptions } from '@usher/verify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { start } from '../support/app.js'

const baseUrl = 'https://users.example.com'
const issuer = `${baseUrl}/workspaces/demo/databases/app`
const { publicKey, privateKey } = await generateKeyPair('ES256')
const keySet = { keys: [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256', use: 'sig' }] }

/** Signs a token that expires a day after the start, with these claims. */
export const signToken = (claims: Record<string, unknown>, iss = issuer) =>
  new SignJWT({ client_id: 'database:1', jti: crypto.randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
    .setIssuer(iss)
    .setAudience(iss)
    .setIssuedAt(start / 1000)
    .setExpirationTime(start / 1000 + 86_400)
    .sign(privateKey)

/** What expires as late as a revocation of the start. */
export const expiresAt = new Date(start + 86_520_000).toISOString()

type Rows = Record<string, unknown>[]
type Answer = (request: FeedRequest) => unknown

export interface FeedRequest {
  after: string | null
  wait: number
  headers: Record<string, string>
  signal: AbortSignal
}

/** A server in this process that publishes a key and the revocations that a test gives it. Its clock stands still. */
export function createFakeFeed() {
  const rows: Rows = []
  const waiting = new Set<{ resolve: () => void; reject: (error: Error) => void }>()
  const server = {
    now: start,
    lineage: 'a',
    pageSize: 1000,
    /** Requests of the feed, and of the key set. */
    requests: [] as FeedRequest[],
    keyRequests: 0,
    /** Answers requests of the feed. `server.answer` is the ordinary one. */
    respond: undefined as Answer | undefined,
    /** Adds revocations. Only requests from now on see them, unless `announce` ends those that wait. */
    add: (...added: Rows) => void rows.push(...added.map((row) => ({ expiresAt, ...row }))),
    clear: () => void rows.splice(0),
    announce() {
      for (const { resolve } of waiting) resolve()
    },
    /** Cuts the connections of requests that wait. */
    cut() {
      for (const { reject } of waiting) reject(new TypeError('terminated'))
    },
    answer,
    options: {
      baseUrl,
      workspace: 'demo',
      database: 'app',
      fetch: request as NonNullable<VerifierOptions['fetch']>,
      now: () => server.now,
    },
  }

  async function answer({ after, wait, signal }: FeedRequest) {
    const [lineage, seq = '0'] = after?.split('.') ?? [server.lineage]
    if (lineage !== server.lineage) return Response.json({ code: 'cursor_expired' }, { status: 410 })
    if (wait > 0 && Number(seq) === rows.length)
      await new Promise<void>((resolve, reject) => {
        waiting.add({ resolve, reject })
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const revocations = rows.slice(Number(seq), Number(seq) + server.pageSize)
    const next = Number(seq) + revocations.length
    return Response.json({ revocations, next: `${lineage}.${next}`, moreAvailable: next < rows.length })
  }

  async function request(url: string, { headers, signal }: FetchInit) {
    const { pathname, searchParams } = new URL(url)
    if (!pathname.endsWith('/management/revocations')) {
      server.keyRequests += 1
      return Response.json(keySet)
    }
    const after = searchParams.get('after')
    const sent = { after, wait: Number(searchParams.get('wait')), headers, signal }
    server.requests.push(sent)
    return (server.respond ?? answer)(sent)
  }
  return server
}
