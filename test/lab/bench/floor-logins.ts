import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { createVerifier } from 'fast-jwt'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'

/** What the floor has for its other routes. */
interface Floor {
  pool: pg.Pool
  hash: (job: object) => Promise<string | boolean>
  signedIn: (id: string, tenants: string[]) => object
}

const key = randomBytes(32)
const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64url')
const signed = (value: object) => {
  const payload = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${payload}.${mac(payload)}`
}
function read(text: string) {
  const [payload = '', given] = text.split('.')
  if (given !== mac(payload)) throw new Error('not signed')
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

/** Returns the step of a code (RFC 6238), or undefined. */
function stepOf(secret: Buffer, code: string) {
  const now = Math.floor(Date.now() / 30_000)
  return [now, now - 1, now + 1].find((step) => {
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(step))
    const digest = createHmac('sha1', secret).update(counter).digest()
    const offset = (digest.at(-1) ?? 0) & 15
    const number = digest.readUInt32BE(offset) & 0x7fffffff
    return String(number % 1_000_000).padStart(6, '0') === code
  })
}

type Body = Record<'email' | 'password' | 'challenge' | 'totp' | 'code' | 'verifier', string>

/** Logins with two steps. `floor.person` has the users with the secrets of their apps. */
export function addTwoSteps(app: FastifyInstance, { pool, hash, signedIn }: Floor) {
  const byEmail = 'SELECT id, password_hash FROM floor.person WHERE email = $1'
  const secretOf = 'SELECT secret, last_step FROM floor.person WHERE id = $1'
  const accept = 'UPDATE floor.person SET last_step = $2 WHERE id = $1 AND last_step < $2 RETURNING id'
  app.post<{ Body: Body }>('/two-step/users/login', async ({ body }, reply) => {
    const { rows } = await pool.query({ name: 'person', text: byEmail, values: [body.email] })
    if (!(await hash({ password: body.password, hash: rows[0].password_hash }))) throw new Error('password')
    const challenge = signed({ id: rows[0].id, expiresAt: Date.now() + 300_000 })
    return reply.status(401).send({ secondFactor: { challenge } })
  })
  app.post<{ Body: Body }>('/two-step/users/login/second-factor', async ({ body }) => {
    const { id } = read(body.challenge)
    const { rows } = await pool.query({ name: 'secret', text: secretOf, values: [id] })
    const step = stepOf(rows[0].secret, body.totp)
    const accepted = await pool.query({ name: 'accept', text: accept, values: [id, step ?? -1] })
    if (accepted.rowCount !== 1) throw new Error('code')
    return signedIn(id, [])
  })
}

/** Logins with a passkey. `floor.passkey` has the users, `floor.used` the challenges that were used. */
export function addPasskeyLogins(app: FastifyInstance, { pool, signedIn }: Floor) {
  const byId = 'SELECT user_id, public_key FROM floor.passkey WHERE id = $1'
  const use = 'INSERT INTO floor.used (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id'
  const rpId = 'app.example.com'
  app.post('/passkey/users/login/passkey', async () => {
    const challenge = signed({ id: randomUUID(), expiresAt: Date.now() + 300_000 })
    const options = { challenge: Buffer.from(challenge).toString('base64url'), rpId, allowCredentials: [] }
    return { options: { ...options, timeout: 300_000, userVerification: 'required' } }
  })
  app.post<{ Body: { passkey: AuthenticationResponseJSON } }>(
    '/passkey/users/login/passkey/confirm',
    async ({ body: { passkey } }) => {
      const { rows } = await pool.query({ name: 'passkey', text: byId, values: [passkey.id] })
      let id = ''
      const { verified } = await verifyAuthenticationResponse({
        response: { ...passkey, rawId: passkey.id, type: 'public-key', clientExtensionResults: {} },
        expectedChallenge: (given) => {
          id = read(Buffer.from(given, 'base64url').toString()).id
          return true
        },
        expectedOrigin: `https://${rpId}`,
        expectedRPID: rpId,
        credential: { id: passkey.id, publicKey: new Uint8Array(rows[0].public_key), counter: 0 },
      })
      const used = await pool.query({ name: 'use-challenge', text: use, values: [id] })
      if (!verified || used.rowCount !== 1) throw new Error('passkey')
      return signedIn(rows[0].user_id, [])
    },
  )
}

/** Logins at a provider. `floor.identity` has the users, `floor.attempt` the logins. */
export async function addProviderLogins(
  app: FastifyInstance,
  { pool, signedIn }: Floor,
  { issuer, redirectUri }: { issuer: string; redirectUri: string },
) {
  const { keys } = (await (await fetch(`${issuer}/keys`)).json()) as { keys: { x: string; y: string }[] }
  const { createPublicKey } = await import('node:crypto')
  const publicKey = createPublicKey({ key: keys[0] as never, format: 'jwk' })
  const verify = createVerifier({
    key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    algorithms: ['ES256'],
    allowedIss: issuer,
    allowedAud: 'usher',
    cache: false,
  })
  const insert = 'INSERT INTO floor.attempt (id, challenge) VALUES ($1, $2)'
  const keep = 'UPDATE floor.attempt SET subject = $2 WHERE id = $1'
  const use = `UPDATE floor.attempt SET used_at = now() WHERE id = $1 AND used_at IS NULL AND challenge = $2 RETURNING subject`
  const holder = 'SELECT user_id FROM floor.identity WHERE subject = $1'
  app.post<{ Body: { challenge: string } }>('/provider/users/login/start', async ({ body }) => {
    const id = randomUUID()
    const state = signed({ id, challenge: body.challenge, expiresAt: Date.now() + 600_000 })
    const query = new URLSearchParams({
      ...{ response_type: 'code', client_id: 'usher', redirect_uri: redirectUri, state },
      nonce: mac(`nonce${id}`),
      code_challenge: createHash('sha256')
        .update(mac(`pkce${id}`))
        .digest('base64url'),
    })
    return { login: id, url: `${issuer}/login/oauth/authorize?${query}`, state }
  })
  app.get<{ Querystring: Record<string, string> }>('/provider/callback', async ({ query }, reply) => {
    const { id, challenge } = read(query.state ?? '')
    await pool.query({ name: 'attempt', text: insert, values: [id, challenge] })
    const form = { code: query.code ?? '', client_id: 'usher', redirect_uri: redirectUri }
    const body = new URLSearchParams({ ...form, code_verifier: mac(`pkce${id}`) })
    const response = await fetch(`${issuer}/login/oauth/access_token`, { method: 'POST', body })
    const claims = verify(((await response.json()) as { id_token: string }).id_token)
    if (claims.nonce !== mac(`nonce${id}`)) throw new Error('nonce')
    await pool.query({ name: 'keep', text: keep, values: [id, claims.sub] })
    return reply
      .status(303)
      .header('location', `https://app.example.com/login#code=${id}.${mac(id)}`)
      .send()
  })
  app.post<{ Body: Body }>('/provider/users/login/finish', async ({ body }) => {
    const [id = '', given] = body.code.split('.')
    const challenge = createHash('sha256').update(body.verifier).digest('base64url')
    if (given !== mac(id)) throw new Error('code')
    const used = await pool.query({ name: 'use', text: use, values: [id, challenge] })
    const found = await pool.query({ name: 'holder', text: holder, values: [used.rows[0].subject] })
    return signedIn(found.rows[0].user_id, [])
  })
}
