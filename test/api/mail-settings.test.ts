import { Scope } from '@usher/contract/management'
import { describe, expect } from 'vitest'
import { password } from '../support/app.js'
import { it as codesTest, elsewhere } from '../support/codes.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import type { ReceivedMail } from '../support/smtp.js'

const email = 'ada@example.com'
const text = 'Subject: Hei {{app}}\n\nMoi {{name}}!\n\n[Uusi salasana]({{link}})\n'

const it = codesTest.extend('mails', ({ usher, app, smtp }) => {
  const send = (method: 'PATCH' | 'GET', key: string, payload?: object) =>
    usher.send({
      method,
      url: app.users.replace(/users$/, 'management/mail-settings'),
      headers: { authorization: `Bearer ${key}` },
      ...(payload && { payload }),
    })
  const newKey = (scopes: Scope[] = Scope.options) =>
    createApiKey({ store: usher.store, now: new Date(usher.clock.now) }, app, {
      name: 'backend',
      scopes,
      expiresInSeconds: 86_400,
    })
  let allScopes: string | undefined
  return {
    send,
    newKey,
    /** Changes settings with a key that has all scopes. */
    async change(payload: object) {
      allScopes ??= (await newKey()).key
      const response = await send('PATCH', allScopes, payload)
      return [response.statusCode, response.json().errors ?? response.json().code]
    },
    /** Requests a reset, and returns its mail. */
    async reset(acceptLanguage?: string, address = email): Promise<ReceivedMail> {
      const response = await usher.send({
        method: 'POST',
        url: `${app.users}/password-reset`,
        payload: { email: address },
        remoteAddress: elsewhere(),
        headers: acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage },
      })
      expect(response.statusCode).toBe(202)
      await app.delivered()
      app.clock.now += 61_000
      return smtp.mails.pop() as ReceivedMail
    },
  }
})

describe('settings of the mails of a database', () => {
  it('decide the sender, replies, name, logo and color of the next mail', async ({ app, mails, usher }) => {
    await app.signedUp({ email })
    await setDatabase(usher.store, app, { mail: { mailSender: 'hello@engines.example' } })
    const settings = {
      appName: 'Weavers & Co.',
      mailSender: 'accounts@engines.example',
      mailReplyTo: 'help@engines.example',
      mailLogoUrl: 'https://engines.example/logo.png',
      mailColor: '#FFCC00',
      mailLocale: 'de-at',
    }
    const { key } = await mails.newKey()
    const shown = { ...settings, mailColor: '#ffcc00', mailLocale: 'de-AT', mailTemplates: [] }
    expect((await mails.send('PATCH', key, settings)).json()).toEqual(shown)
    expect((await mails.send('GET', key)).json()).toEqual(shown)
    const { parsed, source } = await mails.reset()
    expect(parsed.from).toEqual({ name: 'Weavers & Co.', address: settings.mailSender })
    expect(parsed.replyTo).toMatchObject([{ address: settings.mailReplyTo }])
    expect(source).toMatch(/^Message-ID: <[0-9a-f-]{36}@engines\.example>/im)
    expect(parsed.subject).toBe('Neues Passwort wählen')
    expect(parsed.text).toContain('bei Weavers & Co.')
    expect(parsed.html).toContain('alt="Weavers &amp; Co."')
    expect(parsed.html).toMatch(/background-color:#ffcc00;[^"]*color:#000000/)
    const removed = { appName: null, mailSender: null, mailReplyTo: null, mailLogoUrl: null }
    expect((await mails.send('PATCH', key, removed)).json()).toEqual({ ...shown, ...removed })
    const plain = await mails.reset()
    expect(plain.parsed.from).toEqual({ name: 'Acme', address: 'accounts@acme.example' })
    expect(plain.parsed.html).not.toContain('<img')
  })

  it('have templates for any language, and only the given ones change', async ({ app, mails }) => {
    await app.signedUp({ email, preferredName: 'Ada', locale: 'fi-FI' })
    const fi = { name: 'password_reset', locale: 'fi', text, html: null }
    const html = {
      name: 'email_changed',
      locale: 'fi',
      text: 'Subject: Hei\n\n{{email}}',
      html: '<p>{{app}}</p>',
    }
    expect(await mails.change({ mailTemplates: [fi, html] })).toEqual([200, undefined])
    const { parsed } = await mails.reset()
    expect(parsed.subject).toBe('Hei Acme')
    expect(parsed.text).toMatch(
      /^Moi Ada!\n\nUusi salasana:\nhttps:\/\/app\.example\.com\/start\/reset-password#code=/,
    )
    expect(parsed.html).toContain('<html lang="fi" dir="ltr">')
    expect(parsed.html).toContain('>Uusi salasana</a>')
    expect(await mails.change({ mailTemplates: [{ ...fi, text: null }] })).toEqual([200, undefined])
    const { key } = await mails.newKey()
    expect((await mails.send('GET', key)).json().mailTemplates).toEqual([html])
    expect((await mails.reset()).parsed.subject).toBe('Choose a new password')
  })

  it.for([
    [{ name: 'hello' }, 'name', /^must be one of password_reset, email_verification, /],
    [{ locale: 'not a tag' }, 'locale', 'must be a BCP 47 language tag, such as pt-BR'],
    [
      { text: 'Subject: Hei\n\n{{link}} {{code}}' },
      'text',
      'fi/password_reset has an unknown placeholder: {{code}}',
    ],
    [{ text: 'Subject: Hei\n\nMoi' }, 'text', 'fi/password_reset must contain {{link}}'],
    [{ html: '<p>{{email}}</p>' }, 'html', 'fi/password_reset must contain {{link}}'],
    [{ text: `${text}${'x'.repeat(8_192)}` }, 'text', 'fi/password_reset must have at most 8192 bytes'],
  ] as const)('refuse a template with %j', async ([changed, field, detail], { mails }) => {
    const template = { name: 'password_reset', locale: 'fi', text, ...changed }
    expect(await mails.change({ mailTemplates: [template] })).toEqual([
      400,
      [expect.objectContaining({ path: `mailTemplates.0.${field}`, detail: expect.stringMatching(detail) })],
    ])
  })

  it('bound the size of all templates', async ({ app, mails, usher }) => {
    const html = `<p>{{link}}</p>${'x'.repeat(32_000)}`
    const template = (index: number) => {
      const locale = `fi-${String.fromCharCode(65 + (index % 26))}${index < 26 ? 'A' : 'B'}`
      return { name: 'password_reset', locale, text, html }
    }
    // A request has room for one of them.
    await setDatabase(usher.store, app, {
      mail: { mailTemplates: Array.from({ length: 30 }, (_, index) => template(index)) },
    })
    const results: unknown[] = []
    for (const index of [30, 31, 32, 33])
      results.push(await mails.change({ mailTemplates: [template(index)] }))
    expect(results.at(1)).toEqual([200, undefined])
    expect(results.at(3)).toMatchObject([400, [{ path: 'mailTemplates', code: 'too_long' }]])
  })

  it.for([
    [{ appName: 'a\u0007b' }, 'must have 1 to 64 characters, and no control characters'],
    [{ mailReplyTo: 'nobody' }, 'must be an email address'],
    [{ mailLogoUrl: 'http://engines.example/logo.png' }, 'must be an https URL of at most 2000 characters'],
    [{ mailColor: 'red' }, 'must be a color such as #0b57d0'],
    [{ mailSender: 'ada@evil.example' }, 'must be set by the operator first'],
  ] as const)('refuse %j', async ([changes, detail], { mails }) => {
    const [path] = Object.keys(changes)
    expect(await mails.change(changes)).toEqual([400, [expect.objectContaining({ path, detail })]])
  })

  it('let a key send only from the domain of the operator, and need a second scope for what can reveal codes', async ({
    app,
    mails,
    usher,
  }) => {
    await setDatabase(usher.store, app, { mail: { mailSender: 'hello@engines.example' } })
    expect(await mails.change({ mailSender: 'hello@evil.example' })).toEqual([
      400,
      [
        expect.objectContaining({
          path: 'mailSender',
          detail: 'must be an address of engines.example, the domain that the operator has set',
        }),
      ],
    ])
    const { key } = await mails.newKey(['mails:write'])
    for (const changes of [{ mailSender: null }, { mailTemplates: [] }])
      expect((await mails.send('PATCH', key, changes)).json().code).toBe('insufficient_scope')
    expect((await mails.send('PATCH', key, { appName: 'Weavers' })).statusCode).toBe(200)
  })
})

describe('the language of a mail', () => {
  it('is that of the user, else that of the request, else that of the database', async ({ app, mails }) => {
    const { token } = await app.signedUp({ email })
    expect((await mails.reset()).parsed.subject).toBe('Choose a new password')
    await mails.change({ mailLocale: 'ja' })
    expect((await mails.reset()).parsed.subject).toBe('新しいパスワードを設定してください')
    expect((await mails.reset('fi, pt-BR;q=0.9, de;q=0.8')).parsed.subject).toBe('Escolha uma nova senha')
    await app.as(token.jwt, 'PATCH', 'me', { locale: 'ar' })
    const { parsed } = await mails.reset('de')
    expect(parsed.subject).toBe('اختر كلمة مرور جديدة')
    expect(parsed.html).toContain('<html lang="ar" dir="rtl">')
    expect(parsed.headers).toContainEqual(expect.objectContaining({ key: 'content-language', value: 'ar' }))
  })

  it('follows a change of the locale until the mail is sent, and survives the user', async ({
    app,
    smtp,
    usher,
  }) => {
    await setDatabase(usher.store, app, { noticeAccountDeleted: true })
    const { token } = await app.signedUp({ email, locale: 'de' })
    await app.markVerified(email)
    smtp.refusal = new Error('later')
    await app.requestReset(email)
    await expect.poll(() => app.messages()).toMatchObject([{ lastError: expect.any(String) }])
    await app.as(token.jwt, 'PATCH', 'me', { locale: 'es' })
    smtp.refusal = undefined
    app.clock.now += 2_000
    usher.context.deliver([{ databaseId: app.id, kind: 'mail' }])
    await app.delivered()
    expect(smtp.mails.pop()?.parsed.subject).toBe('Elige una contraseña nueva')
    const jwt = (await app.login({ email, password })).json().token.jwt
    expect((await app.as(jwt, 'POST', 'me/deletion', { password })).statusCode).toBe(204)
    await app.delivered()
    expect(smtp.mails.pop()?.parsed.subject).toBe('Tu cuenta se ha eliminado')
  })

  it('of an invitation is that of the invited user, else that of the inviter', async ({
    app,
    smtp,
    usher,
  }) => {
    const ada = await app.signedUp({ email, locale: 'fr', newTenant: 'Engines' })
    await app.signedUp({ email: 'grace@example.com', locale: 'de' })
    await app.markVerified(email)
    for (const invited of ['grace@example.com', 'joan@example.com'])
      await usher.send({
        method: 'POST',
        url: app.users.replace(/users$/, `tenants/${ada.tenants[0]}/invitations`),
        headers: { authorization: `Bearer ${ada.token.jwt}` },
        payload: { email: invited, role: 'member' },
      })
    await app.delivered()
    const subjects = smtp.mails.map(({ recipients, parsed }) => [recipients[0], parsed.subject])
    expect(Object.fromEntries(subjects)).toEqual({
      'grace@example.com': 'Einladung zu Engines',
      'joan@example.com': 'Invitation à rejoindre Engines',
    })
  })
})
