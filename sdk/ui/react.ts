'use client'

import { createElement, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Client } from '../client.js'
import type { UsherError } from '../errors.js'
import type { Classes } from './dom.js'
import type { UsherElement } from './element.js'
import {
  createSignInFlow,
  type ScreenName,
  type SignInFlow,
  type SignInOptions,
  type SignUpField,
} from './flow.js'
import type { SubmitEventDetail } from './sign-in-element.js'
import type { Texts } from './texts/en.js'

/** What all components take. The elements themselves are defined by `start` and `startAccount`. */
export interface ElementProps {
  /** By default the client of `start`. */
  client?: Client | undefined
  lang?: string | undefined
  theme?: 'light' | 'dark' | undefined
  /** Leaves out the look of `ui.css`. */
  unstyled?: boolean | undefined
  texts?: Partial<Texts> | undefined
  classes?: Classes | undefined
  className?: string | undefined
}

/** What `SignIn` takes. */
export interface SignInProps extends ElementProps {
  screen?: ScreenName | undefined
  /** A path of this origin, to which a login leads. */
  redirectTo?: string | undefined
  /** What is not offered: `sign-up`, `passkeys`, `mail-login`, `providers`. */
  hide?: string | undefined
  tenant?: 'choose' | undefined
  signUpFields?: readonly SignUpField[] | undefined
  onSubmit?: ((detail: SubmitEventDetail) => void) | undefined
  onSignedIn?: (() => void) | undefined
  onTenant?: ((tenantId: string) => void) | undefined
  onScreen?: ((screen: string) => void) | undefined
  /** The logo and the terms of the product: nodes with `slot="logo"` and `slot="terms"`. */
  children?: ReactNode
}

/** What `Account` takes. */
export interface AccountProps extends ElementProps {
  /** Names of sections, such as `profile email factors`. */
  sections?: string | undefined
  onChange?: (() => void) | undefined
  onSignedOut?: (() => void) | undefined
  /** Called if the element cannot be shown, such as during an outage. */
  onError?: ((error: UsherError) => void) | undefined
}

/** What `Tenant` takes. */
export interface TenantProps extends Omit<AccountProps, 'sections'> {
  /** ID of the tenant. By default the first one of the user. */
  tenant?: string | undefined
}

/** What `SsoSetup` takes. */
export interface SsoSetupProps extends Omit<TenantProps, 'tenant' | 'onSignedOut'> {
  /** ID of a tenant of the owner who is logged in. By default, the link of a portal opens it. */
  tenant?: string | undefined
}

/** What `UserMenu` takes. */
export interface UserMenuProps extends ElementProps {
  accountHref?: string | undefined
  /** ID of the tenant that is shown, which the menu leaves out. */
  tenant?: string | undefined
  onTenant?: ((tenantId: string) => void) | undefined
  onSignedOut?: (() => void) | undefined
}

type Handlers = Readonly<Record<string, ((detail: never) => void) | undefined>>

/** Renders an element. Its properties and listeners are set after hydration, because the element draws its content itself. */
function useElement(
  name: string,
  attributes: object,
  { properties, handlers }: { properties: object; handlers: Handlers },
) {
  const ref = useRef<UsherElement>(null)
  const latest = useRef(handlers)
  latest.current = handlers
  const values = Object.values(properties)
  useEffect(() => {
    const given = Object.entries(properties).filter(([, value]) => value !== undefined)
    if (ref.current) Object.assign(ref.current, Object.fromEntries(given))
  }, values)
  useEffect(() => {
    const { current: element } = ref
    const listeners = Object.keys(handlers).map((type) => {
      const listen = (event: Event) => latest.current[type]?.((event as CustomEvent).detail as never)
      element?.addEventListener(type, listen)
      return [type, listen] as const
    })
    return () => {
      for (const [type, listen] of listeners) element?.removeEventListener(type, listen)
    }
  }, [])
  return createElement(name, { ...attributes, ref, suppressHydrationWarning: true })
}

const attributesOf = ({ lang, theme, unstyled, className }: ElementProps) => ({
  lang,
  theme,
  unstyled: unstyled ? '' : undefined,
  class: className,
})
const propertiesOf = ({ client, texts, classes }: ElementProps) => ({ texts, classes, client })

/** `<usher-sign-in>` as a component. */
export function SignIn(props: SignInProps) {
  const { screen, redirectTo, hide, tenant, signUpFields, children } = props
  return useElement(
    'usher-sign-in',
    { ...attributesOf(props), screen, hide, tenant, children, 'redirect-to': redirectTo },
    {
      properties: { signUpFields, ...propertiesOf(props) },
      handlers: {
        'usher-submit': props.onSubmit,
        'usher-signed-in': props.onSignedIn,
        'usher-tenant': ({ tenantId }: { tenantId: string }) => props.onTenant?.(tenantId),
        'usher-screen': (detail: { screen: string }) => props.onScreen?.(detail.screen),
      },
    },
  )
}

const changes = ({ onChange, onSignedOut, onError }: TenantProps): Handlers => ({
  'usher-error': ({ error }: { error: UsherError }) => onError?.(error),
  'usher-change': onChange,
  'usher-signed-out': onSignedOut,
})

/** `<usher-account>` as a component. */
export function Account(props: AccountProps) {
  const attributes = { ...attributesOf(props), sections: props.sections }
  return useElement('usher-account', attributes, {
    properties: propertiesOf(props),
    handlers: changes(props),
  })
}

/** `<usher-tenant>` as a component. */
export function Tenant(props: TenantProps) {
  const attributes = { ...attributesOf(props), tenant: props.tenant }
  return useElement('usher-tenant', attributes, { properties: propertiesOf(props), handlers: changes(props) })
}

/** `<usher-sso-setup>` as a component, which `startSsoSetup` defines. */
export function SsoSetup(props: SsoSetupProps) {
  const attributes = { ...attributesOf(props), tenant: props.tenant }
  return useElement('usher-sso-setup', attributes, {
    properties: propertiesOf(props),
    handlers: changes(props),
  })
}

/** `<usher-user-menu>` as a component. */
export function UserMenu(props: UserMenuProps) {
  const { accountHref, tenant } = props
  const attributes = { ...attributesOf(props), 'account-href': accountHref, tenant }
  return useElement('usher-user-menu', attributes, {
    properties: propertiesOf(props),
    handlers: {
      'usher-tenant': ({ tenantId }: { tenantId: string }) => props.onTenant?.(tenantId),
      'usher-signed-out': props.onSignedOut,
    },
  })
}

/**
 * Returns the steps of a login for a page that draws the screens itself. `options` count at the first render.
 *
 * @example
 * ```tsx
 * const { screen, feedback, submit } = useSignIn(usher, { onSignedIn: () => navigate('/') })
 * ```
 */
export function useSignIn(
  client: Client,
  options?: SignInOptions,
): Pick<SignInFlow, 'screen' | 'feedback' | 'submit' | 'go'> {
  const [store] = useState(() => {
    const flow = createSignInFlow(client, options)
    let snapshot = { screen: flow.screen, feedback: flow.feedback }
    const subscribe = (listener: () => void) => {
      const unsubscribe = flow.subscribe(() => {
        snapshot = { screen: flow.screen, feedback: flow.feedback }
        listener()
      })
      return () => {
        unsubscribe()
        flow.stop()
      }
    }
    return { flow, subscribe, read: () => snapshot }
  })
  const shown = useSyncExternalStore(store.subscribe, store.read, store.read)
  return { ...shown, submit: store.flow.submit, go: store.flow.go }
}
