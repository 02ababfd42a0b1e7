import type { Client } from '../../client.js'
import type { Operations } from '../../endpoints.js'
import type { UsherError } from '../../errors.js'
import type { User } from '../../schemas.js'
import { failed } from '../../started-logins.js'
import { unavailableScreen } from '../actions.js'
import { buttonOf, newId } from '../controls.js'
import { create, directionOf, focusIn, nodesOf, part } from '../dom.js'
import { UsherElement } from '../element.js'
import { createFlow, type Flow, isOfTenant, userIdOf } from '../flow-engine.js'
import { messageOf } from '../messages.js'
import { rightsOf } from '../role.js'
import { line } from '../view.js'
import { confirming } from './confirm.js'
import type { Dialog } from './dialog.js'
import { factors } from './factors.js'
import { loginOf, sessions, type WayIn, waysIn } from './logins.js'
import { avatarOf, deletion, profile } from './profile.js'
import {
  type Account,
  type DialogScreen,
  flowOf,
  type ReadName,
  type Section,
  type SectionFlow,
} from './section.js'
import type { Team } from './team.js'

const sections = {
  profile,
  factors,
  sessions,
  tenants: later(async () => (await import('./tenants.js')).tenants),
  deletion,
}

/** A section of `<usher-account>`. */
export type SectionName = keyof typeof sections | WayIn

type Dialogs = typeof import('./dialog.js')

/** Runs what needs a dialog. Only users who change something load it. */
async function withDialogs<Value>(use: (parts: Dialogs) => Promise<Value>) {
  const parts = await import('./dialog.js').catch(() => undefined)
  return parts ? use(parts) : failed('no_answer', 'The dialog could not be loaded', 'Try again.')
}

/** An element of a user who is logged in. It follows logins and log-outs, also of other tabs. */
abstract class UserElement extends UsherElement {
  protected flows: Flow[] = []
  #dialogs = new Set<Dialog>()

  /** Returns the sections of a user, or undefined if there is nothing to show. */
  protected abstract sectionsOf(account: Account): readonly Section[]

  protected override begin(client: Client) {
    /** The user who was asked for last. */
    let asked: string | undefined
    const read = async () => {
      const id = userIdOf(client)
      asked = id
      const [user, features] = id ? await Promise.all([client.me(), client.features()]) : []
      return { id, user, features }
    }
    const load = this.reader(read, ({ id, user, features }) => {
      if (id !== userIdOf(client)) return
      const error = user?.error ?? features?.error
      if (error) asked = undefined
      this.#show(
        user?.data &&
          features?.data &&
          this.#accountOf(client, user.data, { features: features.data, failed: fail }),
      )
      if (error) fail(error)
    })
    const fail = (error: UsherError<string>) => {
      this.send('usher-error', { error })
      if (client.token) this.#failed(client, error, load)
    }
    this.onEnd(
      client.subscribe(() => {
        // Not at a new token of the same user, which would close what the user is doing.
        if (userIdOf(client) !== asked) load()
      }),
    )
    this.onEnd(() => this.#stop())
    load()
  }

  #accountOf(client: Client, user: User, given: Pick<Account, 'features' | 'failed'>): Account {
    const reads = new Map<ReadName, unknown>()
    const account: Account = {
      client,
      user,
      ...given,
      usher: confirming(client, () => withDialogs(({ askWhoItIs }) => askWhoItIs(account))),
      read<Name extends ReadName>(name: Name) {
        const running = reads.get(name) ?? client[name]()
        reads.set(name, running)
        return running as ReturnType<Operations[Name]>
      },
      dialog: (screen) => withDialogs((parts) => this.#dialog(client, screen, parts)),
      changed: (flow) => {
        reads.clear()
        this.redrawn(flow)
      },
      refresh: async () => {
        const { data } = await client.me()
        if (data) account.user = data
        this.send('usher-change')
        this.changed(account)
      },
      signedOut: () => {
        this.#show(undefined)
        this.send('usher-signed-out')
      },
    }
    return account
  }

  async #dialog(client: Client, screen: DialogScreen, { openDialog }: Dialogs) {
    if (!this.isConnected) return undefined
    const dialog = openDialog(screen, { host: this, client, look: () => this.look() })
    this.#dialogs.add(dialog)
    dialog.draw()
    const outcome = await dialog.ended
    this.#dialogs.delete(dialog)
    return outcome
  }

  /** Says why there is nothing to show. */
  #failed(client: Client, error: UsherError<string>, load: () => Promise<void>) {
    const screen = unavailableScreen('unavailable', messageOf(error), async () => {
      await load()
      // The menu may be missing for the same reason.
      this.send('usher-change')
      return undefined
    })
    const flow = createFlow(client, () => screen)
    flow.show(screen)
    this.#stop()
    this.flows = [flow]
    this.paint()
  }

  /** Called after a change, with the section that shows it itself. */
  protected redrawn(_section: Flow) {}

  /** Called after a change of the user. */
  protected changed(_account: Account) {}

  #stop() {
    for (const flow of this.flows) flow.stop()
    for (const dialog of this.#dialogs) dialog.close()
    this.flows = []
  }

  #show(account: Account | undefined) {
    this.#stop()
    if (account) this.flows = this.sectionsOf(account).map((section) => flowOf(account, section))
    this.paint()
  }

  protected override paint() {
    this.paintFlows(this.flows, 'h2')
    for (const dialog of this.#dialogs) dialog.draw()
  }
}

/**
 * `<usher-account>`: what users change of their account. Attribute `sections`: their names in order, such as `profile email factors`. By
 * default all that the database offers. Events: `usher-change`, `usher-signed-out`, `usher-error`.
 */
export class UsherAccount extends UserElement {
  protected override sectionsOf({ client, features }: Account) {
    if (isOfTenant(client)) return [later(async () => (await import('./single-sign-on.js')).tenantLogin)]
    const { secondFactor, tenantOperations, accountOperations } = features
    const all = ['profile', ...waysIn, 'factors', 'sessions', 'tenants', 'deletion']
    const names = (this.getAttribute('sections')?.split(/\s+/) ?? all).filter(
      (name) =>
        all.includes(name) &&
        (name !== 'factors' || secondFactor !== 'off') &&
        (name !== 'passkeys' || features.passkeys) &&
        (name !== 'tenants' || tenantOperations) &&
        accountOperations,
    )
    const isWay = (name: string) => waysIn.some((way) => way === name)
    const ways = names.filter(isWay)
    // All ways to log in are one section, at the place of the first.
    return names
      .filter((name) => name === ways[0] || !isWay(name))
      .map((name) => (isWay(name) ? loginOf(ways) : sections[name as keyof typeof sections]))
  }

  protected override redrawn(section: Flow) {
    for (const each of this.flows) if (each !== section) (each as SectionFlow).redraw()
  }
}

/**
 * `<usher-tenant>`: members, invitations and the name of a tenant. Attribute `tenant`: its ID. By default the first one of the user.
 * Events: `usher-change`, `usher-signed-out`, `usher-error`.
 */
export class UsherTenant extends UserElement {
  static override observedAttributes = ['lang', 'tenant']

  /** The role of the user when the sections were drawn. */
  #role: string | undefined
  #setup: HTMLElement | undefined

  #membershipOf({ user }: Account) {
    const wanted = this.getAttribute('tenant')
    return user.memberships.find(({ id }) => !wanted || id === wanted)
  }

  protected override sectionsOf(account: Account) {
    const membership = this.#membershipOf(account)
    this.#role = membership?.role
    if (!membership) return [missing]
    const team: Team = { ...account, membership }
    const { features } = account
    const rights = rightsOf(features, membership.role)
    const offersSso = features.singleSignOn && rights === 'owner' && !isOfTenant(account.client)
    const part = (name: 'nameOf' | 'tenantDeletionOf') =>
      later(async () => (await import('./team.js'))[name](team))
    return [
      later(async () => (await import('./members.js')).membersOf(team)),
      ...(rights === 'member' ? [] : [part('nameOf')]),
      ...(offersSso
        ? [later(async () => (await import('./single-sign-on.js')).setupOf(this.#open(team)))]
        : []),
      ...(rights === 'owner' ? [part('tenantDeletionOf')] : []),
    ]
  }

  /** Returns what shows the set-up of single sign-on of a team. */
  #open({ client, membership }: Team) {
    return (setup: HTMLElement) => {
      this.#setup = Object.assign(setup, { client })
      setup.setAttribute('tenant', membership.id)
      this.paint()
    }
  }

  protected override begin(client: Client) {
    this.#setup = undefined
    super.begin(client)
  }

  protected override paint() {
    super.paint()
    if (this.#setup) this.append(this.#setup)
  }

  override attributeChangedCallback(name?: string) {
    if (name === 'tenant') this.connectedCallback()
    else super.attributeChangedCallback()
  }

  protected override changed(account: Account) {
    const membership = this.#membershipOf(account)
    // The user has left the tenant, has deleted it, or has other rights now.
    if (membership?.role !== this.#role) this.connectedCallback()
  }
}

/** Returns a section that is loaded when it is shown: many pages never do. */
function later(load: () => Promise<Section>): Section {
  let loaded: Section | undefined
  return async (account, usher) => {
    loaded ??= await load().catch(() => undefined)
    return loaded ? loaded(account, usher) : unavailableScreen('failed', line('noAnswer'), () => ({}))
  }
}

const missing: Section = () => ({
  name: 'no-tenant',
  title: line('tenantProfile'),
  lines: [line('notMember')],
  actions: [],
})

/**
 * `<usher-user-menu>`: the user who is logged in, tenants to switch to, the account, and log-out. Attributes: `account-href` (where the
 * account is), `tenant` (ID of the tenant that is shown, which the menu leaves out). Events: `usher-tenant` (`detail.tenantId`),
 * `usher-signed-out`.
 */
export class UsherUserMenu extends UsherElement {
  static override observedAttributes = ['lang', 'tenant']

  #user: User | undefined
  #client: Client | undefined

  protected override begin(client: Client) {
    this.#client = client
    /** The user who was asked for last. */
    let asked: string | undefined
    const read = async () => {
      const id = userIdOf(client)
      asked = id
      return { id, user: id ? (await client.me()).data : undefined }
    }
    const load = this.reader(read, ({ id, user }) => {
      // Otherwise the user has logged out meanwhile.
      if (id !== userIdOf(client)) return
      if (!user) asked = undefined
      this.#user = user
      this.paint()
    })
    this.onEnd(
      client.subscribe(() => {
        if (userIdOf(client) !== asked) load()
      }),
    )
    document.addEventListener('usher-change', load)
    this.onEnd(() => document.removeEventListener('usher-change', load))
    for (const type of ['scroll', 'resize']) {
      addEventListener(type, this.#place, true)
      this.onEnd(() => removeEventListener(type, this.#place, true))
    }
    load()
  }

  /** Moves the list next to the button, to where the viewport has more room. */
  #place = () => {
    const [button, list] = this.querySelectorAll<HTMLElement>('[popovertarget], [popover]')
    if (!button || !list) return
    const { left, right, top, bottom } = button.getBoundingClientRect()
    const { clientWidth: width } = document.documentElement
    const isBelow = top + bottom < innerHeight
    const isAfter = left + right < width
    const [x, y] = [isAfter ? left : width - right, isBelow ? bottom : innerHeight - top]
    Object.assign(list.style, {
      inset: 'auto',
      [isAfter ? 'left' : 'right']: `${x}px`,
      [isBelow ? 'top' : 'bottom']: `${y}px`,
      maxWidth: `${width - x}px`,
      maxHeight: `${innerHeight - y}px`,
    })
  }

  protected override paint() {
    const user = this.#user
    if (!user) return this.replaceChildren()
    const look = this.look()
    const button = (id: string, label: ReturnType<typeof line>, run: () => unknown) => {
      const made = buttonOf({ id, label, kind: 'secondary', run: () => undefined }, look)
      made.addEventListener('click', () => run())
      return create('li', {}, made)
    }
    const href = this.getAttribute('account-href')
    const id = newId()
    const list = create(
      'ul',
      { ...part('list', look), id, popover: 'auto' },
      create('li', part('details', look), create('bdi', {}, user.email)),
      href !== null &&
        create(
          'li',
          {},
          create(
            'a',
            { ...part('link', look), href, 'data-action': 'account' },
            ...nodesOf(line('openAccount'), look),
          ),
        ),
      ...user.memberships
        .filter((each) => each.id !== this.getAttribute('tenant'))
        .map((each) =>
          button(`tenant-${each.id}`, line('switchTenant', { name: each.name }), () =>
            this.send('usher-tenant', { tenantId: each.id }),
          ),
        ),
      button('log-out', line('logOut'), async () => {
        await this.#client?.signOut()
        this.send('usher-signed-out')
      }),
    )
    const focused = focusIn(this)
    const isOpen = this.querySelector(':popover-open') !== null
    const toggle = create(
      'button',
      { ...part('menu', look), type: 'button', popovertarget: id },
      avatarOf(user, look),
      create('bdi', {}, user.preferredName ?? user.email),
    )
    list.addEventListener('beforetoggle', this.#place)
    // What is chosen closes the menu. The app may move the focus then.
    const close = ({ target }: Event) => {
      if (!(target as Element).closest('a, button')) return
      list.hidePopover()
      toggle.focus()
    }
    list.addEventListener('click', close, { capture: true })
    const attributes = { ...part('root', look), lang: look.language, dir: directionOf(look.language) }
    this.replaceChildren(create('div', attributes, toggle, list))
    // Escape moves the focus back to where it was when the list was shown.
    if (focused !== undefined) toggle.focus()
    if (isOpen) list.showPopover()
    if (focused) this.querySelector<HTMLElement>(focused)?.focus()
  }
}
