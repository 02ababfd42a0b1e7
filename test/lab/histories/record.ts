import { codeIn } from '../../support/smtp.js'
import { type Operator, runCommand } from './commands.js'
import { type Known, newAccount } from './known.js'
import { isRead } from './model.js'
import type { Input, MailedCode, Operation, Result } from './operation.js'
import { clientOperations, requestOf } from './requests.js'
import type { Mail, Server } from './stage.js'

/** What the codes are for, by the page of their link. */
const purposes: Record<string, MailedCode['purpose']> = {
  'reset-password': 'password_reset',
  'verify-email': 'email_verification',
  login: 'login_code',
}

/** Starts a record of what happens to some accounts, and of what their clients know. */
export function startRecord() {
  const history: Operation[] = []
  const arrivals = new Map<string, number>()
  const accounts = new Map<string, Known>()
  let requests = 0

  function addAccount(email: string) {
    const known = newAccount(email)
    accounts.set(email, known)
    return known
  }

  /** Keeps the code of a mail. */
  function receive({ id, to, text }: Mail) {
    const known = accounts.get(to)
    if (!known || arrivals.has(id)) return
    arrivals.set(id, performance.now())
    const [, page = ''] = /\/([a-z-]+)#code=/.exec(text) ?? []
    const purpose = purposes[page]
    if (!purpose) return
    const [digits] = /^\d{6}$/m.exec(text) ?? []
    const code = { id, value: codeIn({ parsed: { text } }), purpose, ...(digits && { digits }) }
    known.codes.push(code)
    known.newCodes.push(code)
  }

  /** Runs an operation and keeps what is known of its outcome. */
  async function add(
    about: Pick<Operation, 'name' | 'at' | 'input'>,
    { email, tokens, refreshTokens, passwords, logins }: Known,
    run: () => Promise<Result | string | undefined>,
  ) {
    const call = performance.now()
    const outcome = await run()
    if (outcome === 'not_sent' || outcome === 'too_many_attempts') return
    const end = outcome === undefined ? Number.POSITIVE_INFINITY : performance.now()
    const operation: Operation = { ...about, email, call, return: end, outcome }
    history.push({ ...operation, isRead: isRead(operation) })
    if (typeof outcome === 'string') return
    const { password, newPassword = about.name === 'signUp' ? password : undefined } = about.input
    if (newPassword && !passwords.includes(newPassword)) passwords.push(newPassword)
    if (outcome?.login) logins.add(outcome.login)
    if (outcome?.token) tokens.push(outcome.token)
    if (outcome?.refreshToken) refreshTokens.push(outcome.refreshToken)
  }

  /** Sends the request of an operation. */
  const request = (name: string, input: Input, known: Known, server: Server) =>
    add({ name, at: server.name, input }, known, async () => {
      requests += 1
      const response = await server.send(requestOf(name, input, known.email, requests))
      if (typeof response !== 'object') return response
      const { status, body } = response
      if (status >= 500) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
      return status >= 400 ? String(body.code) : (clientOperations[name]?.result?.(body as never) ?? {})
    })

  /** Runs a command. */
  const command = (name: string, input: Input, known: Known, operator: Operator) =>
    add({ name, at: 'operator', input }, known, () => runCommand(operator, name, known.email, input))

  return { history, arrivals, addAccount, receive, request, command }
}

export type Recorded = ReturnType<typeof startRecord>
