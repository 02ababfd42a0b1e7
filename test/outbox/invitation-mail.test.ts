import { expect, it as plainIt } from 'vitest'
import { harmlessName } from '../../server/domain/mail/deliver-mail.js'
import { it } from '../api/invitations.js'

const grace = 'grace@example.com'

it.for([
  ['a URL', 'Win at https://evil.example/now', 'http:evil'],
  ['a dotted host name', 'evil.example', 'Ada (EVIL.COM)'],
  ['a host name of an emoji', 'Win at 💩.la/evil', 'ev\u{1F575}\uFE0F\u200D\u2642\uFE0F.evil'],
])(
  'an invitation leaves out the names of tenant and inviter if they have %s',
  async ([, tenantName, preferredName], { app, tenant, usher }) => {
    const { prisma } = usher.store
    await prisma.tenant.updateMany({
      where: { databaseId: app.id, id: tenant.id },
      data: { name: String(tenantName) },
    })
    await prisma.user.updateMany({
      where: { databaseId: app.id, id: tenant.ada.id },
      data: { preferredName: String(preferredName) },
    })
    await tenant.invite(grace)
    const [mail] = await tenant.mailsTo(grace)
    expect(mail?.parsed.subject).toBe('Invitation')
    expect(mail?.parsed.text).toMatch(
      /^You are invited on Acme\. The invitation is for the address grace@example\.com\. /,
    )
    expect(mail?.source).not.toMatch(/evil/i)
  },
)

it('an invitation cannot add headers or markup by the names of tenant and inviter', async ({
  app,
  tenant,
  usher,
}) => {
  const { prisma } = usher.store
  const name = 'Engines\r\nBcc: eve\r\n\r\n<b>"{{link}}'
  await prisma.tenant.updateMany({ where: { databaseId: app.id, id: tenant.id }, data: { name } })
  await tenant.invite(grace)
  const [mail] = await tenant.mailsTo(grace)
  expect(mail?.parsed.subject).toBe('Invitation to Engines  Bcc: eve    <b>"{{link}}')
  expect(mail?.source).not.toMatch(/^Bcc/im)
  expect(mail?.parsed.html).toContain('<bdi>Engines  Bcc: eve    &lt;b&gt;&quot;{{link}}</bdi> by')
})

plainIt.each([
  'evil.example',
  'EVIL.COM',
  'go to evil.co',
  'evil。com',
  'evil．com',
  'evil｡com',
  'evil․com',
  'ev\u200Bil\u200B.\u200Bcom',
  'evil.xn--p1ai',
  'пример.рф',
  'e\u0301vil.c\u0327om',
  '192.0.2.1',
  '//evil.example',
  'https://localhost',
  'HTTP:evil',
  'mailto:eve',
  'javascript:alert(1)',
  'eve@evil.example',
  '💩.la',
  '☁️.com',
  '1️⃣.ws',
  '👩‍💻。fm',
  'a-.la',
  '_.la',
  // Unassigned in Unicode 17: an emoji of a later version.
  '\u{1FAFF}.la',
  'evil\u{E0067}.\u{E007F}com',
])('the name %s is left out of mails', (name) => {
  expect(harmlessName(name)).toBeUndefined()
})

plainIt.each([
  'Analytical Engines',
  'St. Mary’s Hospital',
  'J. R. R. Tolkien',
  'J.R.',
  'Acme Inc.',
  'Team 2.0',
  '10:30 club',
  'Sales: EMEA',
  'Ψηφιακή Α.Ε.',
  '株式会社アクメ',
  'A/B testing',
  'Engines 🚀',
  'Hm...yes',
  '.NET friends',
])('the name %s is in mails', (name) => {
  expect(harmlessName(name)).toBe(name)
})

it('the mail of an invitation is not sent after the invitation has expired', async ({
  app,
  tenant,
  usher,
  smtp,
}) => {
  smtp.refusal = new Error('no such mailbox')
  await tenant.invite(grace)
  await expect.poll(() => app.messages()).toMatchObject([{ lastError: expect.stringContaining('SMTP') }])
  smtp.refusal = undefined
  app.clock.now += 7 * 86_400_000
  usher.context.deliver([{ databaseId: app.id, kind: 'mail' }])
  expect(await tenant.mailsTo(grace)).toEqual([])
  expect(usher.logged()).toContain('a mail was not sent because its code has expired')
})
