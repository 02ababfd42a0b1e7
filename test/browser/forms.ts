import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { password } from '../support/app.js'

/** Returns the form with a title. */
export const formOf = (page: Page, title: string) => page.getByRole('form', { name: title, exact: true })

/** Returns the rows of the address, the password, passkeys and providers. */
export const loginsOf = (page: Page) => formOf(page, 'How you log in')

/** Returns the dialog that asks who the user is. */
export const stepUpOf = (page: Page) => formOf(page, 'Confirm that it is you')

/** Gives the password, and a proof of the second factor if there is one. */
export async function confirm(page: Page, given = password, prove?: () => Promise<void>) {
  await send(stepUpOf(page), { Password: given }, prove ? 'Continue' : 'Confirm')
  await prove?.()
}

/** Returns the field with a label. */
export const fieldOf = (form: Locator, label: string) => form.getByLabel(new RegExp(`^${label}( optional)?$`))

/** Fills fields, by their labels. */
export async function fill(form: Locator, fields: Readonly<Record<string, string>>) {
  for (const [label, value] of Object.entries(fields)) await fieldOf(form, label).fill(value)
}

/** Presses a button of a form. */
export const press = (form: Locator | Page, name: string) =>
  form.getByRole('button', { name, exact: true }).click()

/** Fills the fields of a form, and presses its button. */
export async function send(form: Locator, fields: Readonly<Record<string, string>>, button: string) {
  await fill(form, fields)
  await press(form, button)
}

/** Waits until a form shows texts. */
export async function expectTexts(form: Locator, ...texts: string[]) {
  for (const text of texts) await form.getByText(text, { exact: true }).waitFor()
}

export const expectAlert = (form: Locator, text: string) =>
  expect.poll(() => form.getByRole('alert').textContent(), { timeout: 15_000 }).toBe(text)

export const isFocused = (node: Locator) => node.evaluate((each) => each === each.ownerDocument.activeElement)

/** Expects errors at exactly these fields, each described by its error, and focus on the first. */
export async function expectFieldErrors(form: Locator, errors: Readonly<Record<string, string>>) {
  const invalid = form.locator('[aria-invalid=true]')
  await expect.poll(() => invalid.count()).toBe(Object.keys(errors).length)
  for (const [label, error] of Object.entries(errors)) {
    const field = fieldOf(form, label)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const id = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1)
    expect(await form.locator(`[id="${id}"]`).textContent()).toBe(error)
  }
  const [first] = Object.keys(errors)
  if (first) expect(await isFocused(fieldOf(form, first))).toBe(true)
}

/** Waits until the example shows the account with an address, and all its sections. */
export async function showsAccount(page: Page, email: string) {
  await loginsOf(page).getByText(email, { exact: true }).first().waitFor()
  await page.locator('[data-screen=loading]').first().waitFor({ state: 'detached' })
}

/** Signs up in the example. */
export async function signUp(page: Page, email: string, more: Readonly<Record<string, string>> = {}) {
  await press(formOf(page, 'Log in'), 'Create an account')
  await send(formOf(page, 'Sign up'), { 'Email address': email, Password: password, ...more }, 'Sign up')
  await showsAccount(page, email)
}

/** Types the address of a login, which comes first where there are other ways than a password. */
export const sendAddress = (page: Page, email: string) =>
  send(formOf(page, 'Log in'), { 'Email address': email }, 'Continue')

/** Sends the forms of the login: the address, and then the password. */
export async function sendLogin(page: Page, email: string, given = password) {
  await sendAddress(page, email)
  await send(formOf(page, 'Log in'), { Password: given }, 'Log in')
}

/** Logs in in the example. */
export async function logIn(page: Page, email: string) {
  await sendLogin(page, email)
  await showsAccount(page, email)
}

/** Opens the menu of the user. */
export const openMenu = (page: Page) => page.locator('usher-user-menu [data-part=menu]').click()

/** Logs out by the menu. */
export async function logOut(page: Page) {
  await openMenu(page)
  await press(page, 'Log out')
  await formOf(page, 'Log in').waitFor()
}

/** Opens a team by the menu. */
export async function openTeam(page: Page, name: string) {
  await openMenu(page)
  await press(page, `Switch to ${name}`)
  await formOf(page, 'Members').waitFor()
}
