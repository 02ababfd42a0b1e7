import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { codeIn, type Smtp } from '../../support/smtp.js'

const clientsPerDatabase = 4
const mailSeconds = 180

/** A response: status 0 for a connection that was cut. */
export interface Answer {
  database: string
  status: number
  milliseconds: number
}

interface Body {
  id?: string
  token?: { jwt: string }
  refreshToken?: { value: string }
}

/** A user, by what the service has acknowledged. */
export interface Account {
  database: string
  email: string
  id: string
  password: string
  /** Types of the events that its changes cause, in order. */
  events: readonly string[]
  refreshToken?: string
  /** A change that was not acknowledged: it is stored or not. */
  unanswered?: Pick<Account, 'password' | 'events'>
}

/** What a sign-up with a tenant causes. */
export const signUpEvents = ['user.created', 'tenant.created', 'tenant.user_added']

const isUnavailable = (status: number) => status === 503 || status === 0

/**
 * Clients of several databases that sign up, log in and read themselves until `stop`, and keep all responses. Every
 * second user opens a session, refreshes it and changes the password; the others reset theirs by the code in a mail.
 */
export function startTraffic(origin: string, databases: readonly string[], smtp: Smtp) {
  const accounts: Account[] = []
  /** Number of acknowledged requests by their path. */
  const acknowledged: Record<string, number> = {}
  /** What was acknowledged and is not so. */
  const lost: string[] = []
  /** Users that have requested a mail, by their address. */
  const awaiting = new Map<string, Account>()
  let readMails = 0
  let answers: Answer[] = []
  let isOver = false

  async function send(database: string, method: string, path: string, token?: string, body?: object) {
    const start = performance.now()
    const note = (status: number) =>
      answers.push({ database, status, milliseconds: performance.now() - start })
    try {
      const response = await fetch(`${origin}/workspaces/acme/databases/${database}/users${path}`, {
        method,
        headers: {
          // The limits of a network are not what these experiments are about.
          'x-forwarded-for': randomBytes(4).join('.'),
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      })
      const received = (await response.json()) as Body
      note(response.status)
      if (response.ok) acknowledged[path] = (acknowledged[path] ?? 0) + 1
      return { status: response.status, body: received }
    } catch {
      note(0)
      return { status: 0, body: {} as Body }
    }
  }
  const logIn = ({ database, email }: Account, password: string) =>
    send(database, 'POST', '/login', undefined, { email, password })

  async function signUp(database: string) {
    const email = `${randomUUID()}@example.com`
    const password = `first ${email}`
    const { status, body } = await send(database, 'POST', '', undefined, {
      email,
      password,
      newTenant: email,
    })
    if (status !== 201 || !body.id) return undefined
    const account: Account = { database, email, id: body.id, password, events: signUpEvents }
    accounts.push(account)
    return { account, token: body.token?.jwt }
  }

  /** Refreshes until it is acknowledged: soon repeated, a refresh returns the same. Returns the access token. */
  async function refresh(account: Account) {
    for (;;) {
      const { database, email, refreshToken } = account
      const { status, body } = await send(database, 'POST', '/session/refresh', undefined, { refreshToken })
      if (status === 200 && body.refreshToken) {
        account.refreshToken = body.refreshToken.value
        return body.token?.jwt
      }
      if (!isUnavailable(status)) {
        lost.push(`session of ${email}: ${status}`)
        return undefined
      }
      await pause(20)
    }
  }

  /** Changes a password once, whether or not that is acknowledged. */
  async function change(
    account: Account,
    events: string[],
    request: (password: string) => ReturnType<typeof send>,
  ) {
    const next = { password: `next ${account.email}`, events: [...account.events, ...events] }
    const { status, body } = await request(next.password)
    if (status === 200) Object.assign(account, next)
    else if (isUnavailable(status)) account.unanswered = next
    else lost.push(`change of ${account.email}: ${status}`)
    return body.token?.jwt
  }

  async function keepSession(account: Account, token: string | undefined) {
    const { database, password } = account
    const { status, body } = await send(database, 'POST', '/me/session', token)
    if (status !== 201 || !body.refreshToken) return
    account.refreshToken = body.refreshToken.value
    const refreshed = await refresh(account)
    // The change ends the session, even if it is not acknowledged.
    delete account.refreshToken
    const changed = await change(account, ['user.password_changed'], (newPassword) =>
      send(database, 'PUT', '/me/password', refreshed, { password, newPassword }),
    )
    if (!changed) return
    const next = await send(database, 'POST', '/me/session', changed)
    if (next.status !== 201 || !next.body.refreshToken) return
    account.refreshToken = next.body.refreshToken.value
    await refresh(account)
  }

  /** Uses the codes in the mails that have arrived. */
  async function useMails() {
    for (let mail = smtp.mails[readMails++]; mail; mail = smtp.mails[readMails++]) {
      const account = awaiting.get(mail.recipients.join())
      // A mail may arrive twice.
      if (!account || !awaiting.delete(account.email)) continue
      const code = codeIn(mail)
      const events = ['user.password_changed', 'user.reclaimed', 'user.email_verified']
      await change(account, events, (newPassword) =>
        send(account.database, 'POST', '/password-reset/confirm', undefined, { code, newPassword }),
      )
    }
    readMails -= 1
  }

  async function client(database: string) {
    for (let count = 0; !isOver; count++) {
      const { account, token } = (await signUp(database)) ?? {}
      if (!account) {
        // A client that is refused immediately would leave the machine no time for anything else.
        await pause(20)
        continue
      }
      const { email, password } = account
      await logIn(account, password)
      for (let reads = 0; reads < 3; reads++) await send(database, 'GET', '/me', token)
      if (count % 2 === 0) await keepSession(account, token)
      else {
        awaiting.set(email, account)
        const { status } = await send(database, 'POST', '/password-reset', undefined, { email })
        if (status !== 202) awaiting.delete(email)
      }
      await useMails()
    }
  }
  const clients = Promise.all(
    databases.flatMap((database) => Array.from({ length: clientsPerDatabase }, () => client(database))),
  )
  return {
    accounts,
    acknowledged,
    /** Runs for some seconds and returns the responses of that time. */
    async during(seconds: number) {
      answers = []
      await pause(seconds * 1000)
      return answers.slice()
    },
    /**
     * Ends the clients and waits for the mails. Then logs in every user and refreshes every session. Returns what was
     * acknowledged and is lost.
     */
    async stop() {
      isOver = true
      await clients
      for (let second = 0; awaiting.size > 0 && second < mailSeconds; second++) {
        await pause(1000)
        await useMails()
      }
      lost.push(...[...awaiting.keys()].map((email) => `mail to ${email}`))
      const rest = accounts.values()
      const check = async () => {
        for (const account of rest) {
          const { email, id, unanswered, refreshToken } = account
          if (unanswered && (await logIn(account, unanswered.password)).status === 200)
            Object.assign(account, unanswered)
          const { body } = await logIn(account, account.password)
          if (body.id !== id) lost.push(`user ${email}`)
          if (refreshToken) await refresh(account)
        }
      }
      await Promise.all(Array.from({ length: 8 }, check))
      return lost
    },
  }
}

/** Counts responses by status, and returns the latency in milliseconds that a share of them stays below. */
export function summaryOf(answers: readonly Answer[], databases: readonly string[]) {
  const own = answers.filter(({ database }) => databases.includes(database))
  const times = own.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const count = (...statuses: number[]) => own.filter(({ status }) => statuses.includes(status)).length
  return {
    served: count(200, 201, 202),
    unavailable: count(503),
    other: own.length - count(200, 201, 202, 503),
    p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0,
    longest: times.at(-1) ?? 0,
  }
}
