import type { Client } from '../../client.js'
import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { Features, User } from '../../schemas.js'
import { createFlow, type Flow } from '../flow-engine.js'
import { line, type Outcome, type Screen } from '../view.js'

/** A screen, or a function that returns one of those that are loaded with the dialog. */
export type DialogScreen = Screen | ((screens: typeof import('./screens.js')) => Screen)

/** What the sections of an account share. */
export interface Account {
  readonly client: Client
  /** The operations of the client. Those that need a confirmation ask for it in a dialog. */
  readonly usher: Operations
  readonly features: Features
  /** The user, as it was read last. */
  user: User
  /** Reads the user again. */
  refresh(): Promise<void>
  /** The address that replaces the one of the user once its mail is opened. */
  pendingEmail?: string
  /** Reads once for all sections, until something changes. */
  read<Name extends ReadName>(name: Name): ReturnType<Operations[Name]>
  /** Opens a screen in a dialog. Returns what its last action has led to, or undefined if the user has cancelled. */
  dialog(screen: DialogScreen): Promise<Outcome | undefined>
  /** Called after a change, with the section that shows it itself. */
  changed(section: Flow): void
  /** Says once for all sections why they cannot be read. */
  failed(error: UsherError<string>): void
  /** Called when the user is no longer logged in. */
  signedOut(): void
}

/** What several sections read. */
export type ReadName = 'listFactors' | 'listSessions' | 'listIdentities' | 'listConnections'

/** Draws a section. Returns the error of what could not be read. */
export type Section = (account: Account, usher: Operations) => Screen | Promise<Screen | UsherError<string>>

const loading: Screen = { name: 'loading', title: line('busy'), actions: [], isWaiting: true }

/** Returns nothing for what the user has cancelled. */
export const silent = (outcome: Outcome | undefined) =>
  outcome?.error?.code === 'access_denied' ? undefined : outcome

/** What the flow of a section needs of an account, or of what else has sections. */
export type Sectioned = Pick<Account, 'client' | 'usher' | 'changed' | 'failed' | 'signedOut'>

/** The flow of a section. */
export interface SectionFlow extends Flow {
  /** Draws the section again, unless the user is doing something in it. */
  redraw(): Promise<void>
}

/** Returns the flow of a section, which is drawn again after each change. */
export function flowOf<Owner extends Sectioned>(
  account: Owner,
  section: (account: Owner, usher: Operations) => ReturnType<Section>,
): SectionFlow {
  let isLeft = false
  /** Returns the screen as it is now, or undefined if it cannot be read. */
  const read = async () => {
    const screen = await section(account, account.usher)
    if ('actions' in screen) return again(screen)
    if (!isLeft) account.failed(screen)
    return undefined
  }

  /** Draws the section again after an action without another screen. */
  const again = (screen: Screen): Screen => {
    const wrap = (action: Screen['actions'][number]) => ({
      ...action,
      async run(values: Readonly<Record<string, string>>) {
        const outcome = silent(await action.run(values))
        // Such as the members of a tenant that the user has left.
        if (isLeft || !outcome || outcome.isSame) return outcome
        if (outcome.screen) return { ...outcome, screen: again(outcome.screen) }
        if (outcome.error || outcome.fieldErrors) return outcome
        account.changed(flow)
        return { ...outcome, screen: await read() }
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

  const engine = createFlow(
    account.client,
    () => ({ ...loading, start: async () => ({ screen: await read() }) }),
    ({ code }) => {
      if (/^token_|^session_ended/.test(code)) account.signedOut()
      return undefined
    },
  )
  const { stop } = engine
  const flow = Object.assign(engine, {
    stop() {
      isLeft = true
      stop()
    },
    async redraw() {
      const screen = await read()
      if (screen && !isLeft && !flow.feedback.isBusy && !flow.screen.fields) flow.show(screen)
    },
  })
  return flow
}
