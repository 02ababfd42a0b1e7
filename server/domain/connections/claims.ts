/** What a provider says about a person who has logged in there. A login that has returned stores it. */
export interface ProviderClaims {
  /** That of the connection. The ID tokens of Microsoft have that of their tenant instead, which the subject contains. */
  issuer: string
  /** ID of the account at the provider. */
  subject: string
  /** The address as the provider returns it, or null. */
  email: string | null
  /**
   * `authoritative`: whoever has the account at the provider owns the mailbox. `verified`: the owner of the account has received
   * mail at it at some time. Null: neither, or no address.
   */
  emailProof: 'authoritative' | 'verified' | null
  preferredName: string | null
  /** As a BCP 47 tag. */
  locale: string | null
}
