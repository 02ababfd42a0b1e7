import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { endpoints } from '../../sdk/client.js'
import { sso } from '../../sdk/endpoints.js'
import { confirming } from '../../sdk/ui/account/confirm.js'
import { askWhoItIs, dialogFlow } from '../../sdk/ui/account/dialog.js'
import { factors } from '../../sdk/ui/account/factors.js'
import { loginOf, sessions, waysIn } from '../../sdk/ui/account/logins.js'
import { membersOf } from '../../sdk/ui/account/members.js'
import { deletion, profile } from '../../sdk/ui/account/profile.js'
import { type Account, flowOf, type Section } from '../../sdk/ui/account/section.js'
import { nameOf, tenantDeletionOf } from '../../sdk/ui/account/team.js'
import { tenants } from '../../sdk/ui/account/tenants.js'
import { unavailableScreen } from '../../sdk/ui/actions.js'
import { createSignInFlow, type Flow, type ScreenName } from '../../sdk/ui/flow.js'
import { actionsOf, createFlow } from '../../sdk/ui/flow-engine.js'
import { messageOf } from '../../sdk/ui/messages.js'
import { en, type Text, type TextKey } from '../../sdk/ui/texts/en.js'
import { enAccount } from '../../sdk/ui/texts/en-account.js'
import type { Shown } from '../../sdk/ui/view.js'
import {
  createStubClient,
  type OperationName,
  problemReply,
  type Reply,
  returnedLink,
} from '../support/ui-client.js'

const texts: Partial<Record<TextKey, Text>> = { ...en, ...enAccount }
const bytes = new Uint8Array([1]).buffer

/** What a passkey of the device returns. */
const credential = {
  id: 'AAAA',
  response: {
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: null,
    attestationObject: bytes,
  },
  getClientExtensionResults: () => ({}),
}

/** How to come to a screen: what the address says, and the actions from there. `go:` goes to a screen. */
interface Way {
  start: string
  actions: readonly string[]
}

type Replies = (operation: OperationName) => Reply | undefined

const secondStep = {
  challenge: 'c',
  expiresIn: 300,
  methods: ['totp', 'recoveryCode', 'passkey'],
  options: undefined,
}
/** The first responses of the ways that need a second factor. */
const firstReplies: Record<string, Partial<Record<OperationName, Reply>>> = {
  'second-factor': { login: problemReply('second_factor_required', { secondFactor: secondStep }) },
  enrolment: { login: problemReply('enrolment_required', { secondFactor: { ...secondStep, methods: [] } }) },
  'step-up': { setSecondFactor: problemReply('step_up_required') },
}

const links: readonly ScreenName[] = [
  'reset-password',
  'verify-email',
  'change-email',
  'undo-email-change',
  'invitation',
]
const sections: Record<string, Section> = {
  profile,
  'ways-in': loginOf(waysIn),
  factors,
  sessions,
  tenants,
  deletion,
}
const starts = [
  'log-in',
  'choose',
  'signed-in',
  'accept',
  'second-factor',
  'enrolment',
  'step-up',
  ...links,
  ...Object.keys(sections),
  'tenant:members',
  'tenant:name',
  'tenant:deletion',
]

/** Creates the flow of a start. */
async function begin(start: string, replies: Replies) {
  const isLoggedIn = start in sections || /^(tenant|signed-in|step-up|accept)/.test(start)
  const { client, called } = createStubClient({ isLoggedIn }, replies)
  const section = start === 'step-up' ? factors : sections[start]
  let flow: Flow & { go?(screen: ScreenName): void }
  if (section || start.startsWith('tenant:')) {
    const [user, features] = await Promise.all([client.me(), client.features()])
    if (!user.data || !features.data) throw new Error('not loaded')
    const shown = new Stack()
    const account: Account = {
      client,
      features: features.data,
      user: user.data,
      usher: confirming(client, () => askWhoItIs(account)),
      read: (name) => client[name]() as never,
      dialog: (screen) =>
        new Promise((resolve) => {
          const dialog = dialogFlow(client, screen, (outcome) => {
            shown.remove(dialog)
            resolve(outcome)
          })
          shown.add(dialog)
        }),
      failed(error) {
        const screen = unavailableScreen('unavailable', messageOf(error), () => ({}))
        const failed = createFlow(client, () => screen)
        failed.show(screen)
        shown.add(failed)
      },
      changed() {},
      refresh: async () => {},
      signedOut: () => {},
    }
    const [membership] = user.data.memberships
    const team = { ...account, membership: membership as never }
    const ofTenant: Record<string, Section> = {
      'tenant:members': membersOf(team),
      'tenant:name': nameOf(team),
      'tenant:deletion': tenantDeletionOf(team),
    }
    flow = shown
    shown.add(flowOf(account, section ?? (ofTenant[start] as Section)))
  } else {
    const screen = start === 'accept' ? 'invitation' : links.find((each) => each === start)
    flow = createSignInFlow(client, {
      screen,
      link: returnedLink,
      page: '',
      tenant: start === 'choose' ? 'choose' : undefined,
      onSignedIn: () => {},
      // Passkeys of a list would finish each screen of a login.
      ...(start === 'log-in' && { hide: [] }),
    })
  }
  flow.subscribe(() => {})
  await settled(flow)
  called.length = 0
  return { flow, called }
}

/** What an element shows: a section, and dialogs over it. */
class Stack implements Flow {
  #flows: Flow[] = []
  #listeners: (() => void)[] = []

  get #top() {
    return this.#flows.at(-1) as Flow
  }
  get screen() {
    return this.#top.screen
  }
  get feedback() {
    return this.#top.feedback
  }
  add(flow: Flow) {
    this.#flows.push(flow)
    flow.subscribe(this.#emit)
    this.#emit()
  }
  remove(flow: Flow) {
    flow.stop()
    this.#flows.splice(this.#flows.indexOf(flow), 1)
    this.#emit()
  }
  #emit = () => {
    for (const listener of this.#listeners) listener()
  }
  subscribe(listener: () => void) {
    this.#listeners.push(listener)
    return () => {}
  }
  submit(...given: Parameters<Flow['submit']>) {
    return this.#top.submit(...given)
  }
  show(...given: Parameters<Flow['show']>) {
    this.#top.show(...given)
  }
  stop() {
    for (const flow of this.#flows) flow.stop()
  }
}

const settled = (flow: Flow) =>
  new Promise<void>((resolve) => {
    const check = () => flow.feedback.isBusy || resolve()
    flow.subscribe(check)
    check()
  })

const values = {
  email: 'ada@example.com',
  password: 'correct horse',
  newPassword: 'correct horse',
  totp: '123456',
  digits: '123456',
  name: 'Engines',
  role: 'member',
  recoveryCode: 'AAAA',
}

async function act(flow: Flow & { go?(screen: ScreenName): void }, action: string) {
  const [, screen] = action.split('go:')
  if (screen) flow.go?.(screen as ScreenName)
  // Not awaited, because it may ask for a second factor.
  else flow.submit(action, values)
  await settled(flow)
}

async function logIn(flow: Flow) {
  for (const action of ['next', 'logIn']) await act(flow, action)
}

/** Follows a way. The last action gets the last replies. */
async function follow({ start, actions }: Way, last: Replies = () => undefined) {
  let isLast = false
  const used = new Set<OperationName>()
  const { flow, called } = await begin(start, (operation) => {
    const given = isLast ? last(operation) : undefined
    if (given) return given
    const first = used.has(operation) ? undefined : firstReplies[start]?.[operation]
    if (first) used.add(operation)
    return first
  })
  for (const [index, action] of actions.entries()) {
    isLast = index === actions.length - 1
    if (isLast) called.length = 0
    await act(flow, action)
  }
  flow.stop()
  return { flow, called: [...called] }
}

/** Returns every action that can be reached, with the operations that it calls. */
async function explore() {
  const found: { way: Way; called: OperationName[] }[] = []
  const seen = new Set<string>()
  const open: Way[] = starts.map((start) => ({ start, actions: [] }))
  for (const way of open) {
    const { flow } = await follow(way)
    const ids = [...new Set(actionsOf(flow.screen).map(({ id }) => id))]
    const kind = way.start in firstReplies || way.start === 'choose' ? way.start : ''
    const key = JSON.stringify([kind, flow.screen.name, ids])
    if (seen.has(key)) continue
    seen.add(key)
    // The page to which the provider leads.
    if (way.actions.at(-1)?.startsWith('provider-')) ids.push('go:login')
    for (const id of ids) {
      const next = { start: way.start, actions: [...way.actions, id] }
      const { called } = await follow(next)
      found.push({ way: next, called })
      open.push(next)
    }
  }
  return found
}

const textOf = (shown: Shown | undefined) =>
  shown && ('text' in shown ? shown.text : texts[shown.key as TextKey])

describe('the flows of the elements', () => {
  it('lead from each code of each operation to a text, and to something to do', async () => {
    vi.stubGlobal('navigator', {
      credentials: {
        get: async ({ mediation }: { mediation?: string }) =>
          mediation ? new Promise(() => {}) : credential,
        create: async () => credential,
      },
    })
    vi.stubGlobal('PublicKeyCredential', {})
    const covered = new Set<OperationName>()
    const failures: string[] = []
    for (const { way, called } of await explore()) {
      const before = await follow({ ...way, actions: way.actions.slice(0, -1) })
      for (const operation of new Set(called))
        for (const code of endpoints[operation].codes) {
          covered.add(operation)
          const { flow } = await follow(way, (each) => (each === operation ? problemReply(code) : undefined))
          const { screen, feedback } = flow
          const { error, status, fieldErrors } = feedback
          const shown = [error, status, ...Object.values(fieldErrors), ...(screen.lines ?? [])]
          const isTold = screen.name !== before.flow.screen.name || shown.some((each) => textOf(each))
          if (!isTold || actionsOf(screen).length === 0)
            failures.push(`${way.start} ${way.actions.join(' ')}: ${operation} ${code} → ${screen.name}`)
        }
    }
    expect(failures).toEqual([])
    expect([...covered].sort()).toEqual(expect.arrayContaining(ofUsers))
  })

  it('leads from a second factor that needs a verified address to a mail that verifies it', async () => {
    const refused: Replies = (operation) =>
      operation === 'enrolTotp' ? problemReply('email_not_verified') : undefined
    const demanded = await follow({ start: 'enrolment', actions: ['next', 'logIn', 'enrolTotp'] }, refused)
    expect(demanded.flow.screen.name).toBe('forgot-password')
    const { flow } = await follow({ start: 'factors', actions: ['enrolTotp'] }, refused)
    expect(textOf(flow.feedback.error)).toBe(en.notVerified)
    const sent = await follow({ start: 'ways-in', actions: ['sendAgain'] })
    expect(sent.called).toContain('requestEmailVerification')
  })

  it('offers to try again if the database cannot be asked what it offers', async () => {
    let isAvailable = false
    const { flow } = await begin('log-in', (operation) =>
      operation === 'features' && !isAvailable ? problemReply('unavailable') : undefined,
    )
    expect([flow.screen.name, flow.screen.title, flow.screen.lines]).toEqual([
      'unavailable',
      { key: 'unavailableTitle' },
      [],
    ])
    isAvailable = true
    await act(flow, 'tryAgain')
    expect(flow.screen.name).toBe('log-in')
  })

  it('say once that a section is unavailable, and why if there is more to say', async () => {
    const shown = async (reply: Reply) => {
      const { flow } = await begin('sessions', (operation) =>
        operation === 'listSessions' ? reply : undefined,
      )
      return flow.screen.lines?.map(textOf)
    }
    expect(await shown(problemReply('unavailable'))).toEqual([])
    // No response has this status.
    expect(await shown({ status: 0, body: {} })).toEqual([texts.noAnswer])
  })

  it('say of an empty field only that it is required', async () => {
    const errors = ['email', 'password'].map((path) => ({
      path,
      code: path === 'email' ? 'email_invalid' : 'too_short',
      detail: '',
      min: 8,
    }))
    const { flow } = await begin('log-in', (operation) =>
      operation === 'createUser' ? problemReply('validation_failed', { errors }) : undefined,
    )
    await act(flow, 'go:sign-up')
    const send = async (email: string, password: string) => {
      flow.submit('signUp', { email, password, preferredName: '' })
      await settled(flow)
      return Object.values(flow.feedback.fieldErrors).map((each) => 'key' in each && each.key)
    }
    expect(await send('', '')).toEqual(['required', 'required'])
    expect(await send('ada', 'short')).toEqual(['emailInvalid', 'tooShort'])
  })
})

it('asks for the single sign-on of an address once, and leads to its provider or to the usual screen', async () => {
  const connection = { id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a08', title: 'Okta' }
  const sent: [OperationName, object][] = []
  /** Types the address. Returns the name of the next screen. */
  async function next(reply: Reply, ssoRouting = true) {
    sent.length = 0
    const { client } = createStubClient({}, (operation, body) => {
      sent.push([operation, body])
      if (operation === 'features')
        return { status: 200, body: { signUp: true, loginMail: 'off', ssoRouting } }
      if (operation === 'startLogin') return problemReply('provider_unavailable')
      return operation === 'routeLogin' ? reply : undefined
    })
    const flow = createSignInFlow(client, { page: '', link: '', hide: ['providers'] })
    flow.subscribe(() => {})
    await settled(flow)
    sent.length = 0
    await act(flow, 'next')
    return flow
  }
  const routed = { status: 200, body: { connection } }
  const flow = await next(routed)
  expect(flow.screen.name).toBe('single-sign-on')
  expect(sent).toEqual([['routeLogin', { email: values.email }]])
  const [main, other] = flow.screen.actions
  expect([main?.kind, main?.label, other?.id]).toEqual([
    'submit',
    { key: 'logInAt', values: { title: 'Okta' } },
    'otherWays',
  ])
  await act(flow, 'logInAt')
  expect(sent.at(-1)).toEqual([
    'startLogin',
    { connection: connection.id, loginHint: values.email, challenge: expect.any(String) },
  ])
  expect(textOf(flow.feedback.error)).toBe(en.providerFailed)
  await act(flow, 'otherWays')
  expect(flow.screen.name).toBe('password')
  for (const reply of [{ status: 200, body: { connection: null } }, problemReply('too_many_attempts')])
    expect((await next(reply)).screen.name).toBe('password')
  const off = await next(routed, false)
  expect([off.screen.name, sent]).toEqual(['log-in', []])
})

it('asks which team only a user who has several', async () => {
  for (const teams of [['engines'], ['engines', 'looms']]) {
    const memberships = teams.map((id) => ({ id, name: id }))
    const { client } = createStubClient({}, (operation) =>
      operation === 'me' ? { status: 200, body: { email: 'ada@example.com', memberships } } : undefined,
    )
    const chosen: string[] = []
    const onTenant = (id: string) => void chosen.push(id)
    const flow = createSignInFlow(client, { page: '', link: '', tenant: 'choose', onTenant })
    flow.subscribe(() => {})
    await settled(flow)
    await logIn(flow)
    expect([flow.screen.name, chosen]).toEqual(
      teams.length === 1 ? ['signed-in', ['engines']] : ['choose-tenant', []],
    )
  }
})

describe('an invitation or a link that this tab keeps, and that is no longer valid', () => {
  const dead = { createUser: problemReply('code_invalid'), acceptInvitation: problemReply('code_invalid') }
  /** Creates a flow in a tab with a kept invitation. Returns it with the bodies of its requests. */
  async function beginKept(
    options: object,
    replyOf: (operation: OperationName, body: object) => Reply | undefined,
  ) {
    const kept = new Map([['usher.invitation', 'kept']])
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const sent: [OperationName, object][] = []
    const { client } = createStubClient({}, (operation, body) => {
      sent.push([operation, body])
      return replyOf(operation, body)
    })
    const flow = createSignInFlow(client, { page: '', link: '', ...options })
    flow.subscribe(() => {})
    await settled(flow)
    return {
      flow,
      kept,
      bodiesOf: (name: OperationName) => sent.flatMap(([each, body]) => (each === name ? [body] : [])),
    }
  }

  it.each(['code_invalid', 'invitation_for_other_address', 'seats_full'])(
    'lets the sign-up go on without the invitation after %s',
    async (code) => {
      const { flow, kept, bodiesOf } = await beginKept({}, (operation, body) =>
        operation === 'createUser' && 'invitationCode' in body ? problemReply(code) : undefined,
      )
      await act(flow, 'noAccount')
      await act(flow, 'signUp')
      expect([flow.screen.name, kept.size]).toEqual(['signed-in', 0])
      expect(bodiesOf('createUser').map((body) => 'invitationCode' in body)).toEqual([true, false])
    },
  )

  it('says that an invitation has expired that the user has opened now, and then signs up without', async () => {
    const options = { page: 'invitation', link: '#code=dead' }
    const { flow, kept } = await beginKept(options, (operation) =>
      operation === 'readInvitation' ? problemReply('code_invalid') : undefined,
    )
    expect([flow.screen.name, flow.screen.lines, kept.size]).toEqual([
      'expired-link',
      [{ key: 'expiredInvitation' }],
      0,
    ])
    await act(flow, 'next')
    await act(flow, 'noAccount')
    await act(flow, 'signUp')
    expect(flow.screen.name).toBe('signed-in')
  })

  it('offers to read an invitation again if the service is not available', async () => {
    let isAvailable = false
    const { flow } = await beginKept({ page: 'invitation', link: '#code=mine' }, (operation) =>
      operation === 'readInvitation' && !isAvailable ? problemReply('unavailable') : undefined,
    )
    expect([flow.screen.name, flow.screen.lines]).toEqual(['unavailable', []])
    isAvailable = true
    await act(flow, 'tryAgain')
    expect([flow.screen.name, flow.screen.fields?.[0]?.value]).toEqual(['invitation', 'grace@example.com'])
  })

  it.each(['invitation_for_other_address', 'seats_full'])(
    'says %s once of an invitation that the user has opened now, and then signs up without',
    async (code) => {
      const { flow, kept, bodiesOf } = await beginKept(
        { page: 'invitation', link: '#code=mine' },
        (operation, body) =>
          operation === 'createUser' && 'invitationCode' in body ? problemReply(code) : undefined,
      )
      await act(flow, 'signUp')
      expect([flow.screen.name, flow.feedback.error, kept.size]).toEqual([
        'invitation',
        { key: code === 'seats_full' ? 'seatsFull' : 'otherAddress' },
        1,
      ])
      await act(flow, 'signUp')
      expect([flow.screen.name, kept.size]).toEqual(['signed-in', 0])
      expect(bodiesOf('createUser').map((body) => 'invitationCode' in body)).toEqual([true, true, false])
    },
  )

  it('says once by mail that the team is full, and then signs up without', async () => {
    const { flow, kept } = await beginKept({}, (operation, body) => {
      if (operation !== 'finishLogin') return undefined
      if ('mayCreate' in body) return problemReply('account_missing')
      return 'invitationCode' in body ? problemReply('seats_full') : undefined
    })
    await act(flow, 'go:mail-login')
    await act(flow, 'sendMail')
    await act(flow, 'logIn')
    expect([flow.feedback.error, kept.size]).toEqual([{ key: 'seatsFull' }, 0])
    await act(flow, 'logIn')
    expect(flow.screen.name).toBe('signed-in')
  })

  it('goes on to the account after a login, if the invitation has expired or is for somebody else', async () => {
    for (const action of ['accept', 'next']) {
      const { flow, kept } = await beginKept({}, (operation) => dead[operation as 'createUser'])
      await logIn(flow)
      expect(flow.screen.name).toBe('invitation')
      await act(flow, action)
      if (action === 'accept') {
        expect(flow.screen.name).toBe('expired-link')
        await act(flow, 'next')
      }
      expect([flow.screen.name, kept.size]).toEqual(['signed-in', 0])
    }
  })

  it('logs in by mail, and signs up by mail without it', async () => {
    for (const hasAccount of [true, false]) {
      const { flow, kept, bodiesOf } = await beginKept({}, (operation, body) => {
        if (operation !== 'finishLogin' || hasAccount) return undefined
        if ('mayCreate' in body) return problemReply('account_missing')
        return 'invitationCode' in body ? problemReply('code_invalid') : undefined
      })
      await act(flow, 'go:mail-login')
      await act(flow, 'sendMail')
      await act(flow, 'logIn')
      expect([flow.screen.name, kept.size]).toEqual(hasAccount ? ['invitation', 1] : ['signed-in', 0])
      expect(bodiesOf('finishLogin')).toHaveLength(hasAccount ? 1 : 3)
    }
  })

  it('keeps the invitation when the link of another mail has expired', async () => {
    const options = { page: 'reset-password', link: '#code=dead' }
    const { flow, kept } = await beginKept(options, (operation) =>
      operation === 'resetPassword' ? problemReply('code_invalid') : undefined,
    )
    await act(flow, 'savePassword')
    expect([flow.screen.name, flow.screen.lines, kept.size]).toEqual([
      'expired-link',
      [{ key: 'expiredHint' }],
      1,
    ])
    await act(flow, 'next')
    expect(flow.screen.name).toBe('forgot-password')
  })
})

/** The operations that the elements call when a user acts. The others are called by a client, by a native app, or at the start. */
const ofUsers = (Object.keys(endpoints) as OperationName[]).filter(
  (operation) =>
    // test/browser/sso.test.ts.
    !(operation in sso) &&
    ![
      'addTenantProof',
      'endAllSessions',
      'endSession',
      'features',
      // After a popup: test/browser/external.test.ts.
      'linkIdentity',
      'loginWithIdToken',
      'openSession',
      'readInvitation',
      'refreshSession',
      'tenant',
      'work',
    ].includes(operation),
)
