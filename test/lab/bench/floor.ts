import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { createSigner, createVerifier } from 'fast-jwt'
import { fastify } from 'fastify'
import pg from 'pg'

// The baseline of the benchmark: the smallest program that does the same work, with all known optimizations and without
// validation, throttle, log and problem bodies.
// Arguments: port, URL of the store, id of the database, threads.

const [port, url, databaseId, threads] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 10 })
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sign = createSigner({
  key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  algorithm: 'ES256',
})
const verifyToken = createVerifier({
  key: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  algorithms: ['ES256'],
  cache: 10_000,
})

const queue: { job: object; done: (result: string | boolean) => void }[] = []
const idle: Worker[] = []
for (let i = 0; i < Number(threads); i++) {
  idle.push(new Worker(new URL('./floor-thread.js', import.meta.url)))
}
function hash(job: object) {
  return new Promise<string | boolean>((done, reject) => {
    if (queue.length >= 64) return reject(Object.assign(new Error('busy'), { statusCode: 503 }))
    queue.push({ job, done })
    next()
  })
}
function next() {
  const worker = queue.length > 0 ? idle.pop() : undefined
  const waiting = worker && queue.shift()
  if (!waiting) return
  worker.once('message', (result) => {
    idle.push(worker)
    waiting.done(result)
    next()
  })
  worker.postMessage(waiting.job)
}

const columns = `id, email, password_hash, preferred_name, created_at, ARRAY(
  SELECT tenant_id FROM usher.membership AS m WHERE m.database_id = u.database_id AND m.user_id = u.id
  ORDER BY joined_at, tenant_id) AS tenants`
const byEmail = `SELECT ${columns} FROM usher."user" AS u WHERE database_id = $1 AND email_key = $2`
const byId = `SELECT ${columns} FROM usher."user" AS u WHERE database_id = $1 AND id = $2`
const insert = `WITH new_user AS (
    INSERT INTO usher."user" (database_id, id, email, email_key, password_hash, created_at)
    VALUES ($1, $2, $3, $3, $4, now()) ON CONFLICT (database_id, email_key) DO NOTHING RETURNING database_id, id
  ), new_tenant AS (
    INSERT INTO usher.tenant (database_id, id, name, created_at)
    SELECT database_id, $5, $6, now() FROM new_user RETURNING database_id, id
  ), new_membership AS (
    INSERT INTO usher.membership (database_id, user_id, tenant_id, joined_at)
    SELECT $1, new_user.id, new_tenant.id, now() FROM new_user, new_tenant
  ) SELECT id FROM new_user`

const signedIn = (id: string, tenants: string[]) => {
  const iat = Math.floor(Date.now() / 1000)
  const jwt = sign({ sub: id, tenants, iat, exp: iat + 3600, jti: randomUUID() })
  return { id, tenants, token: { jwt, maxAge: 3600, type: 'ACCESS_TOKEN' } }
}

interface Body {
  email: string
  password: string
  newTenant: string
}
const app = fastify()
app.post<{ Body: Body }>('/users', async ({ body }, reply) => {
  const passwordHash = await hash({ password: body.password })
  const [id, tenantId] = [randomUUID(), randomUUID()]
  const values = [databaseId, id, body.email, passwordHash, tenantId, body.newTenant]
  await pool.query({ name: 'insert', text: insert, values })
  return reply.status(201).send(signedIn(id, [tenantId]))
})
app.post<{ Body: Body }>('/users/login', async ({ body }, reply) => {
  const { rows } = await pool.query({ name: 'byEmail', text: byEmail, values: [databaseId, body.email] })
  if (!rows[0] || !(await hash({ password: body.password, hash: rows[0].password_hash }))) {
    return reply.status(401).send()
  }
  return signedIn(rows[0].id, rows[0].tenants)
})
app.get('/users/me', async ({ headers }) => {
  const { sub } = verifyToken(headers.authorization?.slice(7) ?? '')
  const { rows } = await pool.query({ name: 'byId', text: byId, values: [databaseId, sub] })
  const { id, email, preferred_name: preferredName, tenants, created_at: createdAt } = rows[0]
  return { id, email, preferredName, tenants, createdAt }
})
app.post<{ Body: Body }>('/hash', async ({ body }) => ({ hash: await hash({ password: body.password }) }))

await app.listen({ host: '127.0.0.1', port: Number(port) })
