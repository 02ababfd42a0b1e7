import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

// A server of Better Auth as its documentation shows: email and password, sessions in Postgres, and the rest as it comes.
// JavaScript, because a TypeScript loader would add to its memory.

const [task, hashName, folder, port, databaseUrl, secret] = process.argv.slice(2)
const installed = createRequire(`${folder}/package.json`)
const load = (name) => import(pathToFileURL(installed.resolve(name)).href)

const { betterAuth } = await load('better-auth')
const { default: pg } = await load('pg')
const options = {
  baseURL: `http://127.0.0.1:${port}`,
  secret,
  database: new pg.Pool({ connectionString: databaseUrl }),
  emailAndPassword: {
    enabled: true,
    ...(hashName === 'argon2id' ? { password: await argon2id() } : {}),
  },
  rateLimit: { enabled: false },
}

if (task === 'migrate') {
  const { getMigrations } = await load('better-auth/db/migration')
  await (await getMigrations(options)).runMigrations()
  await options.database.end()
} else {
  const { toNodeHandler } = await load('better-auth/node')
  createServer(toNodeHandler(betterAuth(options))).listen(Number(port), '127.0.0.1')
}

/** Returns the functions of Usher's hash. */
async function argon2id() {
  const { hash, verify } = await import('@node-rs/argon2')
  return {
    hash: (password) => hash(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 }),
    verify: ({ hash, password }) => verify(hash, password),
  }
}
