import { describe, expect } from 'vitest'
import { sweepDatabase } from '../../../server/domain/sweep/sweep.js'
import { moveDomain } from '../../support/operator-changes.js'
import { it as ssoTest } from '../../support/sso.js'

const hours = 3_600_000

const it = ssoTest.extend('sweep', ({ usher, app, clock }) => async (after: number) => {
  clock.now += after * hours
  const pause = async () => undefined
  const log = { level: 'silent', child: () => log, info: () => undefined, warn: () => undefined }
  await sweepDatabase(usher.context, app.id, { log, pause, stopped: new AbortController().signal })
})

describe('domains of a tenant', () => {
  it('are proven by their record', async ({ sso, usher }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso/domains`
    const { status, body } = await owner.as('POST', path, { domain: 'Bücher.Example.' })
    expect([status, body.domain, body.state]).toEqual([201, 'xn--bcher-kva.example', 'pending'])
    expect(body.record).toEqual({
      type: 'TXT',
      name: '_usher.xn--bcher-kva.example',
      value: expect.stringMatching(/^usher=[0-9a-f]{32}$/),
    })
    expect((await owner.as('POST', path, { domain: 'bücher.example' })).body).toEqual(body)
    const check = () => owner.as('POST', `${path}/${body.domain}/check`)
    expect((await check()).body).toMatchObject({
      code: 'domain_unproven',
      detail: expect.stringContaining('found no record'),
    })
    usher.dns.set(body.record.name, ['v=spf1 -all'])
    expect((await check()).body.detail).toContain('of _usher.xn--bcher-kva.example: found "v=spf1 -all"')
    usher.dns.set(body.record.name, 'ESERVFAIL')
    expect((await check()).body.detail).toContain('ESERVFAIL')
    usher.dns.set(body.record.name, ['v=spf1 -all', body.record.value])
    expect((await check()).body).toMatchObject({ state: 'proven', expiresAt: null })
    expect((await sso.events()).filter(({ type }) => type === 'sso.domain_proven')).toMatchObject([
      { tenantId: owner.tenantId, domain: body.domain },
    ])
    expect((await owner.as('DELETE', `${path}/${body.domain}`)).status).toBe(204)
    expect((await check()).code).toBe('domain_not_found')
  })

  it('must be domains, at most 20', async ({ sso }) => {
    const { owner } = sso
    const path = `${owner.tenantId}/sso/domains`
    for (const domain of [
      '*.acme.example',
      'ada@acme.example',
      'https://acme.example/',
      'example',
      '10.0.0.1',
      '-.example',
      'a b.example',
    ]) {
      const { body } = await owner.as('POST', path, { domain })
      expect([domain, body.errors?.[0].path]).toEqual([domain, 'domain'])
    }
    for (let count = 0; count < 20; count++)
      expect((await owner.as('POST', path, { domain: `a${count}.example` })).status).toBe(201)
    expect((await owner.as('POST', path, { domain: 'acme.example' })).code).toBe('sso_full')
  })

  it('move to another tenant when the record is missing for 24 hours', async ({ sso, usher, clock }) => {
    const other = await sso.founder()
    const domain = 'acme.example'
    const first = await sso.domain(domain)
    expect((await sso.owner.as('POST', `${first}/check`)).status).toBe(200)
    const { body } = await other.as('POST', `${other.tenantId}/sso/domains`, { domain })
    const check = () => sso.byKey('POST', `${other.tenantId}/sso/domains/${domain}/check`)
    const former = usher.dns.get(body.record.name) as string[]
    usher.dns.set(body.record.name, [...former, body.record.value])
    expect((await check()).code).toBe('domain_taken')
    const stateOf = async () => (await sso.byKey('GET', `${sso.owner.tenantId}/sso`)).body.domains[0].state
    expect(await stateOf()).toBe('proven')
    usher.dns.set(body.record.name, [body.record.value])
    expect((await check()).code).toBe('domain_taken')
    expect(await stateOf()).toBe('missing')
    clock.now += 24 * hours - 1
    expect((await check()).code).toBe('domain_taken')
    clock.now += 1
    expect((await check()).body.state).toBe('proven')
    expect(await stateOf()).toBe('lost')
    expect((await sso.events()).filter(({ type }) => type === 'sso.domain_lost')).toMatchObject([
      { tenantId: sso.owner.tenantId, domain },
    ])
  })

  it('move to another tenant immediately if an operator decides', async ({ sso, app, usher, clock }) => {
    const domain = 'acme.example'
    await sso.owner.as('POST', `${await sso.domain(domain)}/check`)
    const { tenantId, as } = await sso.founder()
    const { body } = await as('POST', `${tenantId}/sso/domains`, { domain })
    const operation = { store: usher.store, now: new Date(clock.now) }
    const move = () => moveDomain(usher.context, operation, app, { tenantId, domain })
    await expect(move()).rejects.toMatchObject({ code: 'domain_unproven' })
    usher.dns.set(body.record.name, [...(usher.dns.get(body.record.name) ?? []), body.record.value])
    expect((await as('POST', `${tenantId}/sso/domains/${domain}/check`)).code).toBe('domain_taken')
    expect(await move()).toMatchObject({ domain, state: 'proven' })
    const { domains } = (await sso.owner.as('GET', `${sso.owner.tenantId}/sso`)).body
    expect(domains).toMatchObject([{ domain, state: 'lost' }])
  })

  it('are removed by a sweep 7 days after they were added without a proof, as portals are', async ({
    sso,
    app,
    usher,
    sweep,
  }) => {
    const { tenantId, as } = sso.owner
    await as('POST', `${tenantId}/sso/domains`, { domain: 'pending.example' })
    await as('POST', `${await sso.domain('acme.example')}/check`)
    await sso.byKey('POST', `${tenantId}/sso/portal`)
    const where = { databaseId: app.id }
    const left = async () => [
      (await usher.store.prisma.tenantDomain.findMany({ where })).map(({ domain }) => domain).sort(),
      await usher.store.prisma.ssoPortal.count({ where }),
    ]
    await sweep(7 * 24 - 1)
    expect(await left()).toEqual([['acme.example', 'pending.example'], 1])
    await sweep(13)
    expect(await left()).toEqual([['acme.example'], 0])
  })

  it('are looked up by each sweep, and lost after 14 days without a record', async ({
    sso,
    app,
    usher,
    sweep,
    clock,
  }) => {
    const { owner } = sso
    await sso.domain('acme.example')
    await owner.as('POST', `${owner.tenantId}/sso/domains/acme.example/check`)
    await owner.as('POST', `${owner.tenantId}/sso/domains`, { domain: 'pending.example' })
    await app.delivered()
    const name = '_usher.acme.example'
    const texts = usher.dns.get(name) as string[]
    const shown = async () => {
      const { body } = await sso.byKey('GET', `${owner.tenantId}/sso`)
      return body.domains.map((each: { domain: string; state: string }) => `${each.domain} ${each.state}`)
    }
    usher.dns.set(name, 'ETIMEOUT')
    await sweep(13)
    expect(await shown()).toEqual(['acme.example proven', 'pending.example pending'])
    usher.dns.set(name, [])
    await sweep(13)
    expect((await shown())[0]).toBe('acme.example missing')
    usher.dns.set(name, texts)
    await sweep(13)
    expect((await shown())[0]).toBe('acme.example proven')
    usher.dns.delete(name)
    await sweep(13)
    await sweep(13 * 24)
    expect(await shown()).toEqual(['acme.example missing'])
    usher.dns.set(name, 'ESERVFAIL')
    await sweep(24)
    expect(await shown()).toEqual(['acme.example missing'])
    usher.dns.delete(name)
    await sweep(13)
    expect(await shown()).toEqual(['acme.example lost'])
    expect(
      (await sso.events()).map(({ type }) => type).filter((type) => type === 'sso.domain_lost'),
    ).toHaveLength(1)
    const mails = (await app.delivered()).filter(
      ({ parsed }) => parsed.subject === 'The record of a domain is missing',
    )
    expect(mails).toHaveLength(2)
    expect(mails[0]?.parsed.text).toContain('acme.example belongs to Engines')
    clock.now += 0
  })

  it('lead to the single sign-on of an address, without looking at accounts', async ({
    sso,
    usher,
    app,
    clock,
  }) => {
    const { owner } = sso
    const route = async (email: string) => (await sso.post('users/login/route', { email })).body.connection
    await sso.domain('acme.example')
    await owner.as('POST', `${owner.tenantId}/sso/domains/acme.example/check`)
    expect(await route('ada@acme.example')).toBeNull()
    const { body } = await owner.as('POST', `${owner.tenantId}/sso/connections`, {
      ...sso.connection,
      title: 'Acme',
    })
    expect(await route('ada@ACME.example')).toEqual({ id: body.id, title: 'Acme' })
    expect(await route('ada@mail.acme.example')).toBeNull()
    await usher.store.prisma.tenantDomain.updateMany({
      where: { databaseId: app.id },
      data: { state: 'missing' },
    })
    expect(await route('ada@acme.example')).not.toBeNull()
    await usher.store.prisma.tenantDomain.updateMany({
      where: { databaseId: app.id },
      data: { state: 'lost' },
    })
    expect(await route('ada@acme.example')).toBeNull()
    await usher.store.prisma.tenantDomain.updateMany({
      where: { databaseId: app.id },
      data: { state: 'proven' },
    })
    const { setDatabase } = await import('../../support/operator-changes.js')
    await setDatabase(usher.store, app, { ssoRouting: false })
    clock.cacheAhead += 6_000
    expect(await route('ada@acme.example')).toBeNull()
  })

  it('are asked for at most 1,000 times an hour by a network', async ({ sso, app, usher }) => {
    const url = `${app.users}/login/route`
    const ask = () =>
      usher.send({
        method: 'POST',
        url,
        payload: { email: 'ada@acme.example' },
        remoteAddress: '203.0.113.9',
      })
    expect((await ask()).statusCode).toBe(200)
    const rows = await usher.store.prisma.codeRequest.updateMany({
      where: { databaseId: app.id, purpose: 'sso_route' },
      data: { fullAt: new Date(usher.clock.now + hours) },
    })
    expect([rows.count, (await ask()).statusCode, (await ask()).json().code]).toEqual([
      1,
      429,
      'too_many_attempts',
    ])
    expect(sso.owner.tenantId).toBeDefined()
  })
})
