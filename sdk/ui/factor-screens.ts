import { action, submit } from './actions.js'
import { line, type Outcome, type Screen } from './view.js'

type Running = Outcome | undefined | Promise<Outcome | undefined>

interface TotpSteps {
  add(body: { challenge: string; totp: string; name: string | undefined }): Running
  back(): Running
}

/** Shows the QR code of an authenticator app, and takes its first code. */
export const totpScreen = (
  { challenge, secret, uri }: { challenge: string; secret: string; uri: string } = {
    challenge: '',
    secret: '',
    uri: '',
  },
  { add, back }: TotpSteps,
): Screen => ({
  name: 'enrol-totp',
  title: line('enrolTotp'),
  lines: [line('qrHint')],
  qr: { content: uri, secret },
  fields: [
    { name: 'totp', label: line('totp'), type: 'code', autocomplete: 'one-time-code' },
    { name: 'name', label: line('factorName'), type: 'text', autocomplete: 'off', isOptional: true },
  ],
  actions: [
    submit('verify', ({ totp = '', name }) => add({ challenge, totp, name: name || undefined })),
    action('back', 'link', back),
  ],
})

/** Shows recovery codes once. */
export const recoveryCodesOf = (codes: readonly string[], next: () => Running): Screen => ({
  name: 'recovery-codes',
  title: line('recoveryCodes'),
  lines: [line('codesHint')],
  codes,
  actions: [submit('stored', next)],
})
