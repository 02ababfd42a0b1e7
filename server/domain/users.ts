import { type CreateUserBody, emailKey, type LoginBody, type SignedInUser, type User } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import * as statements from '../store/statements.js'
import type { Database } from './databases.js'
import { passwordFaults } from './passwords.js'
import { Problem } from './problem.js'
import type { Service } from './service.js'
import { isRevoked, issueToken, type TokenClaims } from './tokens.js'

/**
 * Signs a user up (specification section 4.1): user, tenant and membership in one statement, or none.
 *
 * @throws {Problem} `validation_failed` by the database's password policy; `email_taken`; `unavailable`
 */
export async function createUser(
  service: Service,
  database: Database,
  body: CreateUserBody,
): Promise<SignedInUser> {
  const errors = passwordFaults(database.passwordPolicy, body.password, body.email)
  if (errors.length > 0) throw new Problem('validation_failed', { errors })
  const passwordHash = await service.hashing.hash(body.password)
  const user = {
    databaseId: database.id,
    id: uuidv7(),
    email: body.email,
    emailKey: keyOf(body.email),
    passwordHash,
    preferredName: body.preferredName ?? null,
    createdAt: new Date(service.now()),
  }
  const tenant = body.newTenant === undefined ? undefined : { id: uuidv7(), name: body.newTenant }
  const created = await statements.insertUser(service.store.prisma, user, tenant)
  if (!created) throw new Problem('email_taken')
  const tenants = tenant ? [tenant.id] : []
  return signedIn(service, database, { id: user.id, tenants, tokensValidAfter: null })
}

/**
 * Logs a user in (specification section 4.2). A hash that is not of the current algorithm and cost is
 * replaced on the way.
 *
 * @throws {Problem} `invalid_credentials`, the same and after the same work for an unknown address, a wrong
 * password and a disabled user; `unavailable`
 */
export async function login(service: Service, database: Database, body: LoginBody): Promise<SignedInUser> {
  const user = await statements.findUserByEmail(service.store.prisma, database.id, keyOf(body.email))
  const matches = await service.hashing.verify(user?.passwordHash, body.password)
  if (!user || !matches || user.disabledAt) throw new Problem('invalid_credentials')
  if (service.hashing.isOutdated(user.passwordHash)) {
    await renewHash(service, database, user.id, user.passwordHash, body.password)
  }
  return signedIn(service, database, user)
}

/**
 * The user of a token as the store has it now (specification section 4.3).
 *
 * @throws {Problem} `token_invalid` where the user is deleted or disabled or the token revoked
 */
export async function findTokenUser(
  service: Service,
  database: Database,
  claims: TokenClaims,
): Promise<User> {
  const user = await statements.findUserById(service.store.prisma, database.id, claims.userId)
  if (!user || user.disabledAt || isRevoked(claims, user.tokensValidAfter)) throw new Problem('token_invalid')
  return {
    id: user.id,
    email: user.email,
    preferredName: user.preferredName,
    tenants: user.tenants,
    createdAt: user.createdAt.toISOString(),
  }
}

function signedIn(
  service: Service,
  database: Database,
  user: { id: string; tenants: string[]; tokensValidAfter: Date | null },
): SignedInUser {
  const token = issueToken(database, user, service.now())
  return { id: user.id, tenants: user.tenants, token }
}

/** The contract has refused what has no key. */
function keyOf(email: string) {
  const key = emailKey(email)
  if (key === undefined) throw new Error('an address without a key passed the contract')
  return key
}

/**
 * Replaces a hash unless another login has done so since it was read. A login never fails for it: the old
 * hash is still good.
 */
async function renewHash(
  service: Service,
  database: Database,
  id: string,
  oldHash: string,
  password: string,
) {
  try {
    const passwordHash = await service.hashing.hash(password)
    await service.store.prisma.user.updateMany({
      where: { databaseId: database.id, id, passwordHash: oldHash },
      data: { passwordHash },
    })
  } catch (error) {
    service.log.warn({ err: error, databaseId: database.id, userId: id }, 'password hash not renewed')
  }
}
