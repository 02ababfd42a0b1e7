import type { EnrolledTotp, ErrorCode, Factor, Result, UsherError } from '@usher/sdk'
import type { CeremonyErrorCode } from '@usher/sdk/passkeys'
import { renderSVG } from 'uqr'
import { actionButton, element, formatTime, listItem } from './elements.js'
import { device, passkeys, questions, usher } from './usher.js'

type Value = (name: string) => string

const factors = document.forms.namedItem('factors') as HTMLFormElement
const enrolment = document.forms.namedItem('enrol') as HTMLFormElement
const codes = document.forms.namedItem('recovery-codes') as HTMLFormElement

/** The authenticator app that the user is adding. */
let enrolled: EnrolledTotp | undefined
/** The recovery codes that the user has not seen yet. */
let newCodes: readonly string[] | undefined

/** Whether the answer to a question is being verified. The form stays until then. */
let isAnswering = false

/** Called when the operation that has asked the question has ended. */
export function endAnswer() {
  isAnswering = false
}

/** Returns the ID of the form of a second factor that is to be shown, or undefined. */
export function factorView() {
  if (questions.current || isAnswering) return 'second-factor'
  return newCodes ? codes.id : enrolled && enrolment.id
}

/** The actions of the forms of second factors, by the ID of the form. */
export const factorActions = {
  'second-factor': async (value: Value) => {
    const { current } = questions
    const proof = value('passkey')
      ? current?.options && (await passkeys.prove(current.options))
      : value('recoveryCode')
        ? { recoveryCode: value('recoveryCode') }
        : { totp: value('totp') }
    if (!proof) return done
    isAnswering = true
    current?.answer(proof)
    return done
  },
  factors: async (value: Value): Promise<Result<unknown, ErrorCode | CeremonyErrorCode>> => {
    if (value('remove')) {
      const result = await usher.removeFactor(value('remove'), {})
      if (result.data) await passkeys.signal()
      return result
    }
    if (value('passkey')) {
      const result = await passkeys.add({ password: value('password') || undefined, name: device })
      showCodes(result.data?.recoveryCodes)
      return result
    }
    if (!value('codes')) return enrol(usher.enrolTotp({ password: value('password') || undefined }))
    const result = await usher.createRecoveryCodes({})
    showCodes(result.data?.codes)
    return result
  },
  enrol: async (value: Value) => {
    const { challenge = '' } = enrolled ?? {}
    const result = await usher.addTotp({ challenge, totp: value('totp'), name: value('name') || undefined })
    if (result.error?.code === 'challenge_invalid') enrolled = undefined
    if (result.error) return result
    enrolled = undefined
    showCodes(result.data.recoveryCodes)
    return result
  },
  'recovery-codes': async () => {
    showCodes(undefined)
    return done
  },
}

const done = { data: undefined, error: undefined }

/** Starts to add an app, if an error says that the login needs one. Returns whether it does. */
export async function enrolsAfter({ code, secondFactor }: UsherError<string>) {
  const { challenge } = secondFactor ?? {}
  if (code !== 'enrolment_required' || !challenge) return false
  return !(await enrol(usher.enrolTotp({ challenge }))).error
}

/** Leaves the form of a question or of an app. */
export function cancelFactor() {
  enrolled = undefined
  questions.current?.cancel()
}

async function enrol(call: ReturnType<typeof usher.enrolTotp>) {
  const result = await call
  enrolled = result.data
  const { uri = '', secret = '' } = enrolled ?? {}
  const image = enrolment.querySelector('img')
  if (image && uri) image.src = `data:image/svg+xml,${encodeURIComponent(renderSVG(uri))}`
  enrolment.querySelector('code')?.replaceChildren(secret.replace(/.{4}(?=.)/g, '$& '))
  return result
}

function showCodes(given: readonly string[] | null | undefined) {
  newCodes = given ?? undefined
  codes.querySelector('ul')?.replaceChildren(...(given ?? []).map((code) => listItem(element('code', code))))
}

/** Shows why a question is asked again. */
export function showQuestion() {
  const alert = document.querySelector('#second-factor [role=alert]')
  const { code, title } = questions.current?.error ?? {}
  const passkey = document.querySelector<HTMLElement>('#second-factor .passkey')
  if (passkey) passkey.hidden = !questions.current?.options
  alert?.replaceChildren(code === 'second_factor_invalid' ? 'Wrong code. Try again.' : (title ?? ''))
}

/** Shows the factors of the user. Without a user, nothing. */
export async function showFactors(isUser: boolean) {
  if (!isUser) return factors.querySelector('ul')?.replaceChildren()
  const { data } = await usher.listFactors()
  factors.toggleAttribute('hidden', !data)
  factors.querySelector('ul')?.replaceChildren(...(data?.factors.map(factorItem) ?? []))
  const hasFactor = !!data?.factors.length
  for (const each of factors.querySelectorAll<HTMLElement>('.first')) each.hidden = hasFactor
  for (const each of factors.querySelectorAll<HTMLElement>('.further')) each.hidden = !hasFactor
  factors.querySelector('.left')?.replaceChildren(`${data?.recoveryCodes ?? 0} recovery codes left`)
}

function factorItem({ id, kind, name, createdAt }: Factor) {
  const title = name ?? (kind === 'passkey' ? 'Passkey' : 'Authenticator app')
  const removal = {
    name: 'remove',
    value: id,
    object: title,
    success: kind === 'passkey' ? 'Passkey removed.' : 'App removed.',
  }
  return listItem(
    element('strong', title),
    element('small', `Added ${formatTime(createdAt)}`),
    actionButton({ text: 'Remove', ...removal }),
  )
}
