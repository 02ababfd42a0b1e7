import type { Database } from '../../store/generated/client.js'
import { findConnections, resealConnection } from '../../store/queries/connections.js'
import { findDataKey, resealDataKey } from '../../store/queries/data-keys.js'
import { resealRequestSecret, type SealedField } from '../../store/queries/databases.js'
import { findSecrets, findSigningKeys, resealSecret, resealSigningKey } from '../../store/queries/keys.js'
import { findSealedOfTenants, resealTenantConnection } from '../../store/queries/sso-connections.js'
import type { Queries } from '../../store/store.js'
import { connectionRow, dataKeyRow, keyRow, requestSecretRow, secretRow } from './master-key.js'

/** A value that the master key encrypts. */
export interface SealedValue {
  name: string
  sealed: Uint8Array
  /** Identifies the row: the value cannot be decrypted in another one. */
  row: string
  /** Replaces the encrypted value, unless it was changed since it was read. */
  replace: (resealed: Uint8Array) => Promise<unknown>
}

type Find = (store: Queries, database: Pick<Database, 'id' | SealedField>) => Promise<readonly SealedValue[]>

/** Finds everything that the master key encrypts, by name. Signing keys are last, because a start checks only these. */
export const sealedValues = {
  webhookSecret: requestSecret('sealedWebhookSecret', 'webhook secret'),
  signUpHookSecret: requestSecret('sealedSignUpHookSecret', 'secret of the sign-up hook'),
  dataKey: async (store, { id }) => {
    const key = await findDataKey(store, id)
    if (!key) return []
    const replace = (resealed: Uint8Array) => resealDataKey(store, key, resealed)
    return [{ name: 'data key', sealed: key.sealedKey, row: dataKeyRow(key), replace }]
  },
  connection: async (store, { id }) =>
    (await findConnections(store, id)).flatMap((connection) => {
      const { name, sealedSecret: sealed } = connection
      const replace = (resealed: Uint8Array) => resealConnection(store, connection, resealed)
      return sealed
        ? [{ name: `secret of connection ${name}`, sealed, row: connectionRow(connection), replace }]
        : []
    }),
  tenantConnection: async (store, { id }) =>
    (await findSealedOfTenants(store, id)).map((connection) => ({
      name: `secret of connection ${connection.id}`,
      sealed: connection.sealedSecret,
      row: connectionRow({ databaseId: id, name: connection.id }),
      replace: (resealed) => resealTenantConnection(store, connection, resealed),
    })),
  secret: async (store, { id }) =>
    (await findSecrets(store, id)).map((secret) => ({
      name: `secret ${secret.number}`,
      sealed: secret.sealedSecret,
      row: secretRow(secret),
      replace: (resealed) => resealSecret(store, secret, resealed),
    })),
  signingKey: async (store, { id }) =>
    (await findSigningKeys(store, id)).map((key) => ({
      name: `signing key ${key.kid}`,
      sealed: key.sealedPrivateKey,
      row: keyRow(key),
      replace: (resealed) => resealSigningKey(store, key, resealed),
    })),
} satisfies Record<string, Find>

/** Returns a function that finds a secret that signs requests to the product. */
function requestSecret(field: SealedField, name: string): Find {
  return async (store, { id, [field]: sealed }) => {
    if (!sealed) return []
    const replace = (resealed: Uint8Array) => resealRequestSecret(store, { id, field, sealed }, resealed)
    return [{ name, sealed, row: requestSecretRow({ id, field }), replace }]
  }
}
