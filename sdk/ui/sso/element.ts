import type { Client } from '../../client.js'
import type { UsherError } from '../../errors.js'
import type { OpenedSsoPortal, Sso } from '../../schemas.js'
import { codeIn, removeFromAddress } from '../../started-logins.js'
import { confirming } from '../account/confirm.js'
import { askWhoItIs, type Dialog, openDialog } from '../account/dialog.js'
import { type DialogScreen, flowOf, type SectionFlow } from '../account/section.js'
import { unavailableScreen } from '../actions.js'
import type { Look } from '../dom.js'
import { UsherElement } from '../element.js'
import { createFlow, type Flow, userIdOf } from '../flow-engine.js'
import { messageOf } from '../messages.js'
import { rightsOf } from '../role.js'
import type { SsoTexts } from '../texts/en.js'
import { enSso } from '../texts/sso-en.js'
import { type Line, line, type Screen } from '../view.js'
import { connections } from './connections.js'
import { domains } from './domains.js'
import { peopleOf } from './people.js'
import { forgetPortal, portalOf } from './portal.js'
import { settings } from './settings.js'
import { type Owner, type Setup, withToken } from './setup.js'

const languages: Record<string, () => Promise<SsoTexts>> = {
  ar: async () => (await import('../texts/sso-ar.js')).arSso,
  de: async () => (await import('../texts/sso-de.js')).deSso,
  es: async () => (await import('../texts/sso-es.js')).esSso,
  fr: async () => (await import('../texts/sso-fr.js')).frSso,
  ja: async () => (await import('../texts/sso-ja.js')).jaSso,
}

/** The texts that were loaded, by language. Undefined while one is loading. */
const loaded = new Map<string, SsoTexts | undefined>()

type Opened = Omit<Setup, 'sso' | 'dialog' | 'changed' | 'failed' | 'signedOut' | 'language'>

/** Why there is nothing to set up. */
type Refused = { title: Line; why: Line } | { error: UsherError<string> }

/**
 * `<usher-sso-setup>`: the single sign-on of a tenant. Opened by the link of a portal, or with the attribute `tenant` (its ID) for an
 * owner who is logged in. Events: `usher-change`, `usher-error`.
 */
export class UsherSsoSetup extends UsherElement {
  static override observedAttributes = ['lang', 'tenant']

  #flows: Flow[] = []
  #dialogs = new Set<Dialog>()

  override attributeChangedCallback(name?: string) {
    if (name === 'tenant') this.connectedCallback()
    else super.attributeChangedCallback()
  }

  protected override begin(client: Client) {
    const tenantId = this.getAttribute('tenant')
    let asked: string | undefined
    const read = async () => {
      asked = userIdOf(client)
      const opened = await (tenantId ? this.#ofOwner(client, tenantId) : ofPortal(client))
      const { data, error } = 'usher' in opened ? await opened.usher.sso(opened.tenantId) : {}
      return { opened, data, error }
    }
    const load = this.reader(read, ({ opened, data, error }) => {
      if ('usher' in opened && data) return this.#show(opened, data, load)
      if (!tenantId && error && isEnded(error)) {
        forgetPortal(client)
        return this.#refuse(client, dead, load)
      }
      this.#refuse(client, error ? { error } : (opened as Refused), load)
    })
    if (tenantId) this.onEnd(client.subscribe(() => userIdOf(client) !== asked && load()))
    this.onEnd(() => this.#stop())
    load()
  }

  /** Returns what an owner needs, who is asked for a confirmation by the first change. */
  async #ofOwner(client: Client, tenantId: string): Promise<Opened | Refused> {
    if (!client.token) return { title: line('logInFirst'), why: line('ssoNoTenant') }
    const [me, offered] = await Promise.all([client.me(), client.features()])
    const error = me.error ?? offered.error
    if (!me.data || !offered.data) return { error: error as UsherError<string> }
    const user = me.data
    const features = offered.data
    const membership = user.memberships.find(({ id }) => id === tenantId)
    if (!membership || rightsOf(features, membership.role) !== 'owner')
      return { title: line('singleSignOn'), why: line('ssoNoTenant') }
    const dialog = (screen: DialogScreen) => this.#dialog(client, screen)
    return {
      client,
      usher: confirming(client, () => askWhoItIs({ client, features, user, dialog })),
      tenantId,
      tenantName: membership.name,
      features,
      mayRequire: true,
      owners: () => ownersOf(client, tenantId),
    }
  }

  #show(opened: Opened, first: Sso, load: () => Promise<void>) {
    const setup: Setup = {
      ...opened,
      sso: first,
      language: () => this.look().language,
      dialog: (screen) => this.#dialog(opened.client, screen),
      changed: async (flow) => {
        this.send('usher-change')
        for (const each of this.#flows) if (each !== flow) (each as SectionFlow).redraw()
      },
      failed: (error) => this.#refuse(opened.client, { error }, load),
      signedOut: () => load(),
    }
    /** Reads the state again before each drawing after the first. */
    let isRead = true
    const sectionOf =
      (draw: (setup: Setup) => Screen) =>
      async ({ usher, tenantId }: Setup) => {
        if (!isRead) {
          const { data, error } = await usher.sso(tenantId)
          if (error) return error
          setup.sso = data
        }
        return draw(setup)
      }
    this.#stop()
    this.#flows = [
      ...[connections, domains].map((draw) => flowOf(setup, sectionOf(draw))),
      flowOf(setup, peopleOf()),
      flowOf(setup, sectionOf(settings)),
    ]
    this.paint()
    isRead = false
  }

  /** Says why there is nothing to set up. */
  #refuse(client: Client, refused: Refused, load: () => Promise<void>) {
    const again = async () => {
      await load()
      return undefined
    }
    const screen: Screen =
      'error' in refused
        ? unavailableScreen('unavailable', messageOf(refused.error), again)
        : { name: 'sso-refused', title: refused.title, lines: [refused.why], actions: [] }
    if ('error' in refused) this.send('usher-error', { error: refused.error })
    const flow = createFlow(client, () => screen)
    flow.show(screen)
    this.#stop()
    this.#flows = [flow]
    this.paint()
  }

  async #dialog(client: Client, screen: DialogScreen) {
    if (!this.isConnected) return undefined
    const dialog = openDialog(screen, { host: this, client, look: () => this.look() })
    this.#dialogs.add(dialog)
    dialog.draw()
    const outcome = await dialog.ended
    this.#dialogs.delete(dialog)
    return outcome
  }

  #stop() {
    for (const flow of this.#flows) flow.stop()
    for (const dialog of this.#dialogs) dialog.close()
    this.#flows = []
  }

  protected override look(): Look {
    const look = super.look()
    const { language } = look
    const load = languages[language]
    if (load && !loaded.has(language)) {
      loaded.set(language, undefined)
      load().then(
        (texts) => {
          loaded.set(language, texts)
          this.paint()
        },
        () => loaded.delete(language),
      )
    }
    return { ...look, texts: { ...enSso, ...loaded.get(language), ...look.texts } }
  }

  protected override paint() {
    this.paintFlows(this.#flows, 'h2')
    for (const dialog of this.#dialogs) dialog.draw()
  }
}

/** Returns the owners of a tenant, among all of its members. */
async function ownersOf(client: Client, tenantId: string) {
  const owners: Owner[] = []
  let after: string | undefined
  do {
    const { data, error } = await client.listMembers(tenantId, { limit: 1000, after })
    if (error) return { error, owners }
    for (const { id, role, email, preferredName } of data.members)
      if (role === 'owner') owners.push({ id, name: preferredName ?? email })
    after = data.next ?? undefined
  } while (after !== undefined)
  return { owners }
}

const dead: Refused = { title: line('expiredLink'), why: line('ssoDead') }

const isEnded = ({ code }: UsherError<string>) => /^(token_|code_invalid|tenant_not_found)/.test(code)

/** Returns what the browser needs that has the link of a portal. */
async function ofPortal(client: Client): Promise<Opened | Refused> {
  const code = codeIn(globalThis.location?.hash ?? '')
  removeFromAddress(code)
  const [portal, offered] = await Promise.all([portalOf(client, code), client.features()])
  if (!portal) return dead
  const error = portal.error ?? offered.error
  if (error?.code === 'code_invalid') return dead
  if (!portal.data || !offered.data) return { error: error as UsherError<string> }
  const { tenantId, tenantName, mayRequire, token }: OpenedSsoPortal = portal.data
  const usher = withToken(client, token)
  return { client, usher, tenantId, tenantName, features: offered.data, mayRequire }
}
