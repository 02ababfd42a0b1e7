import { factors } from '@usher/contract'
import { operatorContract } from '@usher/contract/operator'
import { Problem } from '../../domain/problem.js'
import type { Host } from '../io/host.js'
import { readLine } from '../io/terminal.js'
import { authorize } from './authorize.js'
import { sendTo } from './request.js'

/** A session that needs a confirmation. */
interface Unconfirmed {
  origin: string
  /** The path of the operators' database. */
  params: Readonly<Record<string, string>>
  token: string
}

/** How often a code can be typed. */
const mostTries = 3

/** Asks the operator for the second factor: a code of an app on the terminal, and anything else in the browser. */
export async function confirmOn(host: Host, session: Unconfirmed): Promise<string> {
  const { origin, ...given } = session
  const { methods } = await sendTo(origin, factors.beginStepUp, given)
  return host.stdin.isTTY && methods.includes('totp')
    ? confirmByCode(host, session)
    : confirmInBrowser(host, session)
}

async function confirmByCode(host: Host, session: Unconfirmed, triesLeft = mostTries): Promise<string> {
  const { origin, ...given } = session
  const totp = await readLine(host, 'Code of your authenticator app: ')
  try {
    const { confirmation } = await sendTo(origin, factors.stepUp, { ...given, body: { totp } })
    return confirmation.value
  } catch (error) {
    const isWrong =
      error instanceof Problem && ['second_factor_invalid', 'validation_failed'].includes(error.code)
    if (!isWrong || triesLeft === 1) throw error
    host.stderr.write('The code is wrong, or was used before.\n')
    return confirmByCode(host, session, triesLeft - 1)
  }
}

async function confirmInBrowser(host: Host, { origin, token }: Unconfirmed) {
  const body = await authorize(host, { origin, purpose: 'confirmation' })
  const { createCommandLineConfirmation } = operatorContract.commandLine
  return (await sendTo(origin, createCommandLineConfirmation, { token, body })).value
}
