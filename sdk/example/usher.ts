import { createExternalLogin } from '@usher/sdk/external'
import { createLoginByMail } from '@usher/sdk/login-by-mail'
import { createPasskeys } from '@usher/sdk/passkeys'
import { createSecondFactorQuestions, createSessionClient } from '@usher/sdk/session'
import { deviceName } from './device.js'

export const questions = createSecondFactorQuestions()

export const device = deviceName(navigator.userAgent)

export const usher = createSessionClient({
  baseUrl: import.meta.env.VITE_USHER_URL || 'http://localhost:3000',
  workspace: import.meta.env.VITE_USHER_WORKSPACE || 'demo',
  database: import.meta.env.VITE_USHER_DATABASE || 'app',
  tokenStore: () => localStorage,
  sessionStore: () => localStorage,
  label: device,
  secondFactor: questions.ask,
})

export const external = createExternalLogin(usher)
export const byMail = createLoginByMail(usher)
export const passkeys = createPasskeys(usher)
