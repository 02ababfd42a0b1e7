// What a history of single sign-on says about the tenants that a token may have. Nobody knows when exactly a server has done what it
// was asked, so a token is wrong only if it is so whenever everything was done.

export const places = ['acme', 'other'] as const
export type Place = (typeof places)[number]

/** Something that was done between two times, in milliseconds since the epoch. The second is infinite if the outcome is unknown. */
export interface Span {
  call: number
  end: number
}

/** A session as its client knows it. */
export interface KnownSession {
  user: string
  isTenantOnly: boolean
  /** When the user has passed the single sign-on of the tenants. */
  proofs: Record<Place, Span[]>
}

/** What a response says. */
export interface Observation extends Span {
  what: string
  session: KnownSession
  tenants: readonly Place[]
  /** The proofs of the token, in seconds since the epoch. */
  sso: Partial<Record<Place, number>>
  /** Through which provider the user has come with this request. */
  through?: { place: Place; issuer: string } | undefined
}

/** Proofs are in whole seconds: one counts for an entry of the same second. */
const wholeSecond = 1000

export function createFacts() {
  const facts = new Map<string, Span[]>()
  const of = (fact: string) => facts.get(fact) ?? []
  const add = (fact: string, span: Span) => void facts.set(fact, [...of(fact), span])

  /** Returns whether what was begun, and ended by something else, may have been so at some time of a request. */
  const mayBe = (begun: readonly Span[], ended: readonly Span[], { call, end }: Span) =>
    begun.some(
      (begin) => begin.call <= end && !ended.some((over) => over.call > begin.end && over.end < call),
    )

  function isProven({ session: { user, proofs }, sso, ...during }: Observation, place: Place) {
    const time = sso[place]
    if (time === undefined) return false
    const passed = proofs[place].filter(
      ({ call, end }) => Math.floor(call / 1000) <= time && time * 1000 <= end,
    )
    const ended = [...of(`unlink ${place} ${user}`), ...of(`reissue ${place}`)]
    return mayBe(
      passed.map(({ call, end }) => ({ call, end: end + wholeSecond })),
      ended,
      during,
    )
  }

  /** Returns why a token, or what a request with it has read, may not have a tenant. */
  function errorOf(seen: Observation, place: Place): string | undefined {
    const { user, isTenantOnly } = seen.session
    const removals = of(`remove ${place} ${user}`)
    const added = of(`add ${place} ${user}`)
    if (!mayBe([...added, ...of(`join ${place} ${user}`)], removals, seen)) return `no member of ${place}`
    if (isProven(seen, place)) return undefined
    if (isTenantOnly) return `a session of a tenant without a proof of ${place}`
    if (!mayBe(added, removals, seen)) return `joined ${place} by single sign-on, without a proof`
    if (!mayBe(of(`waive ${place}`), of(`require ${place}`), seen)) return `${place} needs a proof`
    return undefined
  }

  /** Returns why a user may not have come through a provider. */
  function errorOfProvider({ through, ...during }: Observation): string | undefined {
    if (!through) return undefined
    const { place, issuer } = through
    if (!mayBe(of(`issuer ${issuer}`), of(`former issuer ${issuer}`), during))
      return `through the former ${issuer}`
    if (!mayBe(of(`enable ${place}`), of(`disable ${place}`), during)) return `through disabled ${issuer}`
    return undefined
  }

  /** Returns what is wrong with an observation. */
  const errorsOf = (seen: Observation) =>
    [...seen.tenants.map((place) => errorOf(seen, place)), errorOfProvider(seen)]
      .filter((error) => error !== undefined)
      .map((error) => `${seen.what} of ${seen.session.user}: ${error}`)

  return { add, errorsOf }
}

export type Facts = ReturnType<typeof createFacts>
