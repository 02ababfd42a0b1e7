import type { UserWithTenants } from '../../store/queries/users.js'
import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { dummyHashOf } from '../passwords/formats/read-hash.js'
import type { Client } from '../passwords/hash-pool.js'
import type { Hasher } from '../passwords/hasher.js'

/**
 * Whether an active user has this password. Every failure does the same work, whatever is the matter: one
 * verification for each shape of hash that the database has (the present one, those of before, imported
 * ones). So time does not tell an unknown address from a known one.
 */
export async function verifyPassword(
  context: AppContext,
  database: Database,
  user: Pick<UserWithTenants, 'passwordHash' | 'disabledAt'> | undefined,
  password: string,
  client: Client,
): Promise<boolean> {
  const { hashing } = context
  if (user && (await hashing.verify(user.passwordHash, password, client)) && !user.disabledAt) return true
  const shapes = new Set([hashing.dummyHash, ...database.dummyHashes])
  if (user) shapes.delete(dummyHashOf(user.passwordHash))
  for (const dummyHash of shapes) await hashing.verify(dummyHash, password, client)
  return false
}

/**
 * Notes in the database that it has hashes of a shape, once; other servers may soon make others.
 *
 * @param shape the dummy hash of such hashes; without it the present one
 */
export async function recordHashParameters(
  { hashing, store }: Pick<AppContext, 'store'> & { hashing: Pick<Hasher, 'dummyHash'> },
  database: Pick<Database, 'id' | 'dummyHashes'>,
  shape = hashing.dummyHash,
) {
  if (database.dummyHashes.includes(shape)) return
  await store.prisma.$executeRaw`
    UPDATE usher.database SET decoy_hashes = array_append(decoy_hashes, ${shape})
    WHERE id = ${database.id}::uuid AND NOT ${shape} = ANY (decoy_hashes)`
}

/**
 * Replaces a hash that is outdated, unless another login has done so since it was read. A login never fails
 * for it: the old hash is still good.
 */
export async function rehashPassword(
  context: AppContext,
  database: Database,
  user: Pick<UserWithTenants, 'id' | 'passwordHash'>,
  password: string,
  caller: Caller,
) {
  const { hashing, store } = context
  if (!hashing.isOutdated(user.passwordHash)) return
  try {
    const passwordHash = await hashing.hash(password)
    await store.prisma.user.updateMany({
      where: { databaseId: database.id, id: user.id, passwordHash: user.passwordHash },
      data: { passwordHash },
    })
    await recordHashParameters(context, database)
  } catch (error) {
    caller.log.warn({ err: error, databaseId: database.id, userId: user.id }, 'password hash not renewed')
  }
}
