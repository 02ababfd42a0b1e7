import type { Client } from '../../client.js'
import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { Features, User } from '../../schemas.js'
import { unavailableScreen } from '../actions.js'
import { createFlow, type Flow } from '../flow-engine.js'
import { messageOf } from '../messages.js'
import { line, type Screen } from '../view.js'

/** What the sections of an account share. */
export interface Account {
  readonly client: Client
  readonly features: Features
  /** The user, as it was read last. */
  user: User
  /** Reads the user again. */
  refresh(): Promise<void>
  /** Called when the user is no longer logged in. */
  signedOut(): void
}

/** Draws a section. Returns the error of what could not be read. */
export type Section = (account: Account, usher: Operations) => Screen | Promise<Screen | UsherError<string>>

/** Says that a section could not be read. */
const failed = (error: UsherError<string>) => unavailableScreen('failed', messageOf(error), () => ({}))

const loading: Screen = { name: 'loading', title: line('busy'), actions: [], isWaiting: true }

/** Returns the flow of a section, which is drawn again after each change. */
export function flowOf(account: Account, section: Section): Flow {
  let operations: Operations
  let isLeft = false
  const read = async () => {
    const screen = await section(account, operations)
    return again('actions' in screen ? screen : failed(screen))
  }

  /** Draws the section again after an action without another screen. */
  const again = (screen: Screen): Screen => {
    const wrap = (action: Screen['actions'][number]) => ({
      ...action,
      async run(values: Readonly<Record<string, string>>) {
        const outcome = await action.run(values)
        // Such as the members of a tenant that the user has left.
        if (isLeft || !outcome || outcome.isSame) return outcome
        if (outcome.screen) return { ...outcome, screen: again(outcome.screen) }
        return outcome.error || outcome.fieldErrors ? outcome : { ...outcome, screen: await read() }
      },
    })
    const items = screen.items?.map((item) => ({ ...item, actions: item.actions?.map(wrap) ?? [] }))
    const content = screen.content && { ...screen.content, actions: screen.content.actions.map(wrap) }
    return {
      ...screen,
      actions: screen.actions.map(wrap),
      ...(items && { items }),
      ...(content && { content }),
    }
  }

  const flow = createFlow(
    account.client,
    (usher) => {
      operations = usher
      return { ...loading, start: async () => ({ screen: await read() }) }
    },
    ({ code }) => {
      if (/^token_|^session_ended/.test(code)) account.signedOut()
      return undefined
    },
  )
  const { stop } = flow
  return Object.assign(flow, {
    stop() {
      isLeft = true
      stop()
    },
  })
}
