import { randomUUID } from 'node:crypto'
import type { PublicKeyCredentialCreationOptionsJSON } from '@usher/contract'
import { readClientData } from '../../../server/domain/passkeys/signed-data.js'
import { verifyRegistration } from '../../../server/domain/passkeys/verify.js'
import { createAuthenticator } from '../../support/authenticator.js'
import type { Say } from './bench.js'
import { table } from './figures.js'
import { type Next, requestBytes } from './load.js'
import { bodyOf, ids, pathOf, people, plant, type Rounds, takeTurns, withClient } from './logins.js'
import type { World } from './world.js'

const rp = { domain: 'app.example.com', origins: ['https://app.example.com'] }

/** Creates an authenticator with a passkey of each user. */
async function createPasskeys() {
  const authenticators = ids.map(() => createAuthenticator())
  const created = authenticators.map(async (authenticator, index) => {
    const user = { id: Buffer.from(ids[index] ?? '').toString('base64url') }
    const options = { rp: { id: rp.domain }, user, challenge: 'AA' } as PublicKeyCredentialCreationOptionsJSON
    const response = authenticator.create(options)
    const { clientDataJSON } = response.response
    const clientData = readClientData(clientDataJSON, { ...rp, type: 'webauthn.create' })
    return verifyRegistration(response, { rp, clientData })
  })
  return { authenticators, created: await Promise.all(created) }
}

/** Measures logins with a passkey. The signatures of the authenticators are computed by the client of the benchmark. */
export async function passkeyLogins(world: World, rounds: Rounds, say: Say) {
  say('planting users with passkeys')
  const { authenticators, created } = await createPasskeys()
  const { store, database } = await plant(world, 'passkey', () => ({}))
  const rows = created.map(({ credentialId, publicKey, isSynced }, index) => ({
    ...{ databaseId: database.id, id: randomUUID(), userId: ids[index] ?? '', kind: 'passkey', isSynced },
    credentialId: Uint8Array.from(credentialId),
    publicKey: Uint8Array.from(publicKey),
    userHandle: Uint8Array.from(Buffer.from(ids[index] ?? '')),
    ...{ domain: rp.domain, signCount: 0n, logsIn: true, createdAt: new Date() },
  }))
  await store.prisma.factor.createMany({ data: rows })
  const data = { appUrl: 'https://app.example.com', secondFactor: 'optional' } as const
  await store.prisma.database.update({ where: { id: database.id }, data })
  await store.close()
  await withClient(world, async (client) => {
    await client.query(`CREATE SCHEMA IF NOT EXISTS floor;
    CREATE TABLE floor.passkey (id text PRIMARY KEY, user_id uuid, public_key bytea);
    CREATE TABLE floor.used (id uuid PRIMARY KEY)`)
    await client.query(
      'INSERT INTO floor.passkey SELECT * FROM unnest($1::text[], $2::uuid[], $3::bytea[])',
      [
        created.map(({ credentialId }) => Buffer.from(credentialId).toString('base64url')),
        ids,
        created.map(({ publicKey }) => Buffer.from(publicKey)),
      ],
    )
  })
  const logins = (prefix: string): Next => {
    let count = 0
    return (last = '') => {
      const { options } = last.includes('"rpId"') ? bodyOf(last) : {}
      if (!options) return requestBytes('POST', `${prefix}/users/login/passkey`)
      const passkey = authenticators[count++ % people]?.get(options)
      return requestBytes('POST', `${prefix}/users/login/passkey/confirm`, { body: { passkey } })
    }
  }
  const servers = {
    floor: { server: await world.startFloor(), next: logins('/passkey') },
    Usher: { server: await world.startUsher({ WORKERS: '1' }), next: logins(pathOf('passkey')) },
  }
  const measured = await takeTurns(servers, { ...rounds, perLogin: 2 }, say)
  return table(['passkey', 'logins/s', 'rate to floor'], measured)
}
