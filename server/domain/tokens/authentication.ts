import type { SsoProofs } from '../../store/queries/sessions.js'
import type { Database } from '../databases/find-database.js'

/**
 * A way in which a user has proven to be that user (RFC 8176, and three of its own): a password, a code of an authenticator app,
 * a passkey, a recovery code, a mailed code, an identity of a provider. `mfa`: two of them.
 */
export type Amr = 'pwd' | 'otp' | 'pop' | 'mfa' | 'recovery' | 'mail' | 'idp'

/** How and when a user has proven to be that user. Tokens say it. */
export interface Proven {
  amr: readonly string[]
  /** In milliseconds since the epoch. */
  at: number
  /** The tenants whose single sign-on the user has passed in the session. */
  tenants?: SsoProofs | undefined
}

/** The authentication context classes of tokens. */
export const acrValues = ['aal1', 'aal2'] as const

/** Returns the authentication context class of a token (OpenID Connect Core, section 2): `aal2` with two factors. */
export const acrOf = ({ amr }: Pick<Proven, 'amr'>): (typeof acrValues)[number] =>
  amr.includes('mfa') ? 'aal2' : 'aal1'

/** What decides whether a login needs a second step. */
export interface SecondStepUser {
  id: string
  generation: number
  createdAt: Date
  /** Null: the user has no second factor. */
  needsSecondStep: boolean | null
}

type SecondFactorRule = Pick<Database, 'secondFactor' | 'secondFactorGrace' | 'secondFactorRequiredAt'>

/** Returns when logins of a user without a second factor are refused. Null: never. */
export function enrolmentDueAt(
  { secondFactor, secondFactorGrace, secondFactorRequiredAt }: SecondFactorRule,
  { createdAt }: Pick<SecondStepUser, 'createdAt'>,
) {
  if (secondFactor !== 'required') return null
  const since = Math.max(createdAt.getTime(), secondFactorRequiredAt?.getTime() ?? 0)
  return new Date(since + secondFactorGrace * 1000)
}

/** Returns what the user of one proof must do before there is a token: a second step, adding a factor, or nothing. */
export function missingStep(
  database: SecondFactorRule,
  user: Pick<SecondStepUser, 'createdAt' | 'needsSecondStep'>,
  now: number,
): 'second_factor_required' | 'enrolment_required' | undefined {
  const { secondFactor } = database
  if (secondFactor === 'off') return undefined
  if (user.needsSecondStep ?? false) return 'second_factor_required'
  if (secondFactor === 'optional') return undefined
  if (user.needsSecondStep === false) return 'second_factor_required'
  const dueAt = enrolmentDueAt(database, user)
  return dueAt !== null && dueAt.getTime() <= now ? 'enrolment_required' : undefined
}

/** A user has proven one factor, and needs another step before there is a token. */
export class SecondStepMissing extends Error {
  constructor(
    readonly code: 'second_factor_required' | 'enrolment_required',
    readonly user: SecondStepUser,
    readonly proven: Proven,
  ) {
    super(code)
  }
}

/** A second factor that a user has just proven. */
export interface SecondStep {
  userId: string
  way: Amr
}

/**
 * How a user has proven to be that user: what a token needs. Only the functions below make one, so that no way to log in can skip
 * the second step.
 */
export class Authentication implements Proven {
  readonly #userId: string

  readonly amr: readonly string[]
  readonly at: number
  readonly tenants: SsoProofs | undefined

  private constructor(user: { id: string }, { amr, at, tenants }: Proven) {
    this.#userId = user.id
    this.amr = amr
    this.at = at
    this.tenants = tenants
  }

  /** Throws unless it is that of a user. */
  requireOf({ id }: { id: string }) {
    if (id !== this.#userId) throw new Error('the authentication is that of another user')
  }

  /** Of a user who has just signed up. Backends see by `acr` that there was no second step. */
  static ofSignUp = (user: { id: string }, { way, at }: { way: Amr; at: number }) =>
    new Authentication(user, { amr: [way], at })

  /**
   * Of a user who has proven one factor.
   *
   * @throws {SecondStepMissing} if the user needs a second step
   */
  static afterFirstStep(
    database: SecondFactorRule,
    user: SecondStepUser,
    { way, at }: { way: Amr; at: number },
  ) {
    const missing = missingStep(database, user, at)
    if (missing) throw new SecondStepMissing(missing, user, { amr: [way], at })
    return new Authentication(user, { amr: [way], at })
  }

  /**
   * Of a user who has proven one factor, and another one in the same request if the user needs it.
   *
   * @throws {SecondStepMissing} if the user needs a second step, and has not proven it
   */
  static afterSteps(
    database: SecondFactorRule,
    user: SecondStepUser,
    { way, at, second }: { way: Amr; at: number; second: SecondStep | undefined },
  ) {
    return second?.userId === user.id
      ? Authentication.afterSecondStep(user, [way], { way: second.way, at })
      : Authentication.afterFirstStep(database, user, { way, at })
  }

  /** Of a user who has proven one factor, and then another one. */
  static afterSecondStep = (
    user: { id: string },
    first: readonly string[],
    { way, at, tenants }: { way: Amr; at: number; tenants?: SsoProofs | undefined },
  ) => new Authentication(user, { amr: [...new Set([...first, way, 'mfa'])], at, tenants })

  /** Of a user whose passkey has verified its user: two factors (NIST SP 800-63B-4, section 3.1.7). */
  static ofPasskey = (user: { id: string }, at: number) =>
    new Authentication(user, { amr: ['pop', 'mfa'], at })

  /** Of the user of a token, which a change has revoked. */
  static ofToken = (user: { id: string }, { amr, at, tenants }: Proven) =>
    new Authentication(user, { amr, at, tenants })
}

/**
 * That a person has passed the single sign-on of a tenant. It is no {@link Authentication}: the provider of a tenant speaks for that
 * tenant only, whoever the user is, so it makes no token of the account.
 */
export class TenantProof {
  readonly #userId: string

  private constructor(
    user: { id: string },
    readonly tenantId: string,
    readonly proven: Proven,
  ) {
    this.#userId = user.id
  }

  /** Throws unless it is that of a user. */
  requireOf({ id }: { id: string }) {
    if (id !== this.#userId) throw new Error('the proof is that of another user')
  }

  /** Of a user whom the provider of a tenant has named, and who has proven a second factor if the tenant needs one. */
  static of = (user: { id: string }, tenantId: string, { amr, at, tenants }: Proven) =>
    new TenantProof(user, tenantId, { amr, at, tenants: { ...tenants, [tenantId]: Math.floor(at / 1000) } })
}
