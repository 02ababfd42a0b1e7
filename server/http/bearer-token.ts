const scheme = 'bearer '

/** Returns the token of an `Authorization: Bearer …` header (RFC 6750 §2.1), or undefined if there is none. */
export const readBearerToken = (authorization: string | undefined) =>
  authorization?.slice(0, scheme.length).toLowerCase() === scheme
    ? authorization.slice(scheme.length).trim() || undefined
    : undefined
