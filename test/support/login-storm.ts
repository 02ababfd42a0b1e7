import { createCode } from '../../server/domain/codes/create-code.js'
import { signedText } from '../../server/domain/keys/signed-text.js'
import type { Random } from '../lab/histories/random.js'
import { password, type TestApi, type TestDatabase } from './app.js'
import { elsewhere } from './codes.js'
import { mailOf, newVerifier } from './login-mail.js'
import { runAsOperator } from './operator-changes.js'
import { returnedCode } from './returned-login.js'

export const thiefPassword = 'four random stolen words'

/** A person with mailboxes, and a thief who signs up with their addresses. */
export interface StormPerson {
  name: string
  /** Mailboxes of the person. The last one is that of the latest change. */
  emails: string[]
  tokens: string[]
  /** Tokens of the thief, for accounts with an address of the person. */
  stolen: string[]
}

export interface StormResponse {
  act: string
  statusCode: number
  body: string
  /** The login at a provider that the request has finished. */
  result?: string
}

/** Sends a request that was prepared, to a server. */
type Act = (server: TestApi) => Promise<StormResponse>

/** How a storm sends requests to servers on one store. */
export interface Storm {
  servers: readonly TestApi[]
  database: TestDatabase
  random: Random
}

/** Returns what people do at the same time. Each name prepares requests: undefined if it is not possible now. */
export function actsOf({ servers: [first], database, random }: Storm) {
  const usher = first as TestApi
  const { prisma } = usher.store
  const databaseId = database.id
  const operation = () => ({ store: usher.store, now: new Date(usher.clock.now) })
  const holderOf = (email: string) =>
    prisma.user.findFirst({ where: { databaseId, email, reservedFor: null } })

  /** Returns a request whose token, if it gets one, is kept in a list. */
  const request =
    (act: string, { method = 'POST', path, payload, jwt, kept, result }: Request): Act =>
    async (server) => {
      const { statusCode, body } = await server.send({
        method,
        url: `${database.users}${path && `/${path}`}`,
        remoteAddress: elsewhere(),
        ...(payload && { payload }),
        ...(jwt && { headers: { authorization: `Bearer ${jwt}` } }),
      })
      const token = statusCode < 300 && body ? JSON.parse(body).token : undefined
      if (token) kept?.push(token.jwt)
      return { act, statusCode, body, ...(result && { result }) }
    }
  const returned = async (subject: string, email: string) => {
    const { verifier, challenge } = newVerifier()
    const connection = random.pick(['acme', 'other']) ?? ''
    return {
      verifier,
      code: await returnedCode(usher, databaseId, { challenge, connection, subject, email }),
    }
  }
  const own = (
    person: StormPerson,
    act: string,
    given: Omit<Request, 'jwt' | 'kept'> & { path: string },
  ): Act[] => {
    const jwt = random.recent(person.tokens)
    return jwt ? [request(act, { ...given, jwt, kept: person.tokens })] : []
  }
  const mailbox = ({ emails }: StormPerson) => random.recent(emails) ?? ''

  return {
    async provider(person: StormPerson) {
      const payload = await returned(person.name, mailbox(person))
      const login = { path: 'login/finish', payload, kept: person.tokens, result: payload.code }
      return [request('provider', login), request('provider again', login)]
    },
    async mail(person: StormPerson) {
      const email = mailbox(person)
      const { verifier, challenge } = newVerifier()
      const started = await request('start', { path: 'login/code', payload: { email, challenge } })(usher)
      if (started.statusCode !== 202) return []
      const { login } = JSON.parse(started.body)
      const { code } = await mailOf(usher, databaseId, { login, email })
      const payload = { code, verifier }
      return [request('mail', { path: 'login/finish', payload, kept: person.tokens, result: code })]
    },
    async thief(person: StormPerson) {
      const payload = { email: mailbox(person), password: thiefPassword }
      return [request('sign-up of the thief', { path: '', payload, kept: person.stolen })]
    },
    async thiefLinks(person: StormPerson) {
      const jwt = random.recent(person.stolen)
      const subject = `thief-${random.next()}`
      const payload = { ...(await returned(subject, `${subject}@example.org`)), password: thiefPassword }
      return jwt ? [request('link of the thief', { path: 'me/identities', payload, jwt })] : []
    },
    async link(person: StormPerson) {
      const payload = { ...(await returned(person.name, mailbox(person))), password }
      return own(person, 'link', { path: 'me/identities', payload })
    },
    async unlink(person: StormPerson) {
      const linked = await prisma.identity.findMany({ where: { databaseId, subject: person.name } })
      const path = `me/identities/${random.pick(linked)?.id ?? databaseId}/removal`
      return own(person, 'unlink', { path, payload: { password } })
    },
    async reset(person: StormPerson) {
      const user = await holderOf(mailbox(person))
      if (!user) return []
      const secrets = await usher.context.findSecrets(databaseId)
      const { code } = await runAsOperator(operation(), database, (change) =>
        createCode(change, { userId: user.id, purpose: 'password_reset', secrets }),
      )
      const payload = { code, newPassword: password }
      return [request('reset', { path: 'password-reset/confirm', payload, kept: person.tokens })]
    },
    deletion: async (person: StormPerson) =>
      own(person, 'deletion', { path: 'me/deletion', payload: { password } }),
    logOut: async (person: StormPerson) => own(person, 'log-out', { method: 'DELETE', path: 'me/sessions' }),
    async change(person: StormPerson) {
      const email = `${person.name}-${person.emails.length}@example.com`
      const [start] = own(person, 'start', { path: 'me/email', payload: { email, password } })
      if ((await start?.(usher))?.statusCode !== 202) return []
      const pending = await prisma.code.findFirst({ where: { databaseId, email, purpose: 'email_change' } })
      if (!pending) return []
      person.emails.push(email)
      const secrets = await usher.context.findSecrets(databaseId)
      const { id } = pending
      const code = signedText(secrets, { purpose: 'email_change', id, canonicalEmail: email })
      return [request('change', { path: 'email-change/confirm', payload: { code } })]
    },
    async undo(person: StormPerson) {
      const where = { databaseId, email: { in: person.emails }, reservedFor: { not: null } }
      const reserved = random.pick(await prisma.user.findMany({ where }))
      if (!reserved) return []
      const secrets = await usher.context.findSecrets(databaseId)
      const { id, canonicalEmail } = reserved
      const code = signedText(secrets, { purpose: 'email_change_undo', id, canonicalEmail })
      return [request('undo', { path: 'email-change/undo', payload: { code } })]
    },
  }
}

interface Request {
  method?: 'POST' | 'DELETE'
  path: string
  payload?: object
  jwt?: string
  /** The list of tokens of whoever sends it. */
  kept?: string[]
  result?: string
}
