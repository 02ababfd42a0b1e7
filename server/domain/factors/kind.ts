import type {
  PublicKeyCredentialRequestOptionsJSON,
  SecondFactorMethod,
  SecondFactorProof,
} from '@usher/contract'
import type { ListedFactor, NewPasskey, NewTotp } from '../../store/queries/factors.js'
import type { Change } from '../change.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import type { Amr, Proven } from '../tokens/authentication.js'

/** What a user proves a second factor for: the second step of a login, or to be there again. */
export interface ProofUse {
  purpose: 'passkey_second_step' | 'passkey_step_up'
  /** The id of what it is for: a login, a reset, or the session of a step-up. */
  of: string
  userId: string
  /** A revocation since then ends the challenge. Undefined: the request has another proof, which a revocation ends. */
  generation?: number | undefined
}

/** A proof that a client has presented. */
export interface GivenProof extends ProofUse {
  proof: SecondFactorProof
  /** Whether the user has logged in from the network of the client. */
  isKnown: boolean
}

/** What a client needs to prove a factor, in the responses that ask for it. */
export interface NeededForProof {
  /** Of passkeys. */
  options?: PublicKeyCredentialRequestOptionsJSON
}

/** What is known of the database of a passkey. */
export type PasskeyDatabase = Pick<Database, 'id' | 'passkeyDomain' | 'passkeyOrigins' | 'appUrl'>

/** A way to prove a second factor. All that differs between ways is in one file each, and prove.ts lists them. */
export interface Kind {
  /** The field of a request that has the proof. */
  name: SecondFactorMethod
  amr: Amr
  /** Whether a user with these factors can prove it. */
  isOn: (database: PasskeyDatabase, factors: readonly ListedFactor[]) => boolean
  /** Returns what a client needs to prove it. */
  options?: (
    context: Pick<AppContext, 'findSecrets' | 'now'>,
    database: PasskeyDatabase,
    use: ProofUse & { factors: readonly ListedFactor[] },
  ) => Promise<NeededForProof>
  /**
   * Verifies a proof, and uses it up.
   *
   * @throws {Problem} `second_factor_invalid`; `too_many_attempts` before it is verified
   */
  prove: (
    context: AppContext,
    request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
    given: GivenProof,
  ) => Promise<void>
}

/** A way that users add as factors. */
export interface FactorKind<Body, Begun, Factor extends NewTotp | NewPasskey> extends Kind {
  /** Factors of a user. Each authenticator app gives a guess as many chances more. */
  most: number
  /** Whether the first one turns the second step of logins on. Then it revokes all tokens, because a thief may have one. */
  turnsOn: boolean
  /** Returns what the client needs to create a factor. Stores nothing. */
  begin: (context: AppContext, request: DatabaseRequest, enroller: Enroller) => Promise<Begun>
  /** Reads and verifies a factor that was created. @throws {Problem} `challenge_invalid`; a proof that is not valid */
  read: (
    context: AppContext,
    request: EnrolRequest<Body>,
  ) => Promise<{ enrolment: Enrolment; factor: Factor }>
  /** Stores it, in the transaction that has locked the user. */
  insert: (change: Change, factor: Factor) => Promise<unknown>
}

/** A request that enrols a factor: that of a user, or the end of a login that has demanded the factor. */
export type EnrolRequest<Body> = DatabaseRequest<Body> & Partial<UserRequest>

/** What the request before has found out, and has given to the client as signed text. */
export interface Enrolment extends Pick<Proven, 'amr'> {
  id: string
  userId: string
  generation: number
  /** How many factors the user had. Another one since then ends it: it was not asked for. */
  factors: number
  /** The connection of a login at a provider. */
  connection?: string
  /** The id of the token, if this is the end of a login. Otherwise the request has a token. */
  tokenId?: string
  expiresAt: number
}

/** Who enrols a factor. */
export interface Enroller {
  user: { id: string; email: string }
  factors: readonly ListedFactor[]
  /** What the caller has proven: in the first step of a login, or as the user of a token. */
  proven: Omit<Enrolment, 'id' | 'expiresAt'>
}

/** @throws {Problem} `challenge_invalid`; `token_missing` if no login has demanded the factor */
export function requireEnrolment<Content extends Enrolment>(
  enrolment: Content | undefined,
  { user }: EnrolRequest<unknown>,
): Content {
  if (!enrolment) throw new Problem('challenge_invalid')
  if (enrolment.tokenId === undefined && !user) throw new Problem('token_missing')
  if (user && user.id !== enrolment.userId) throw new Problem('challenge_invalid')
  return enrolment
}
