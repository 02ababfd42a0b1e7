/** Settings for the cheapest hash there is, for tests that are not about hashing. */
export const cheapHashes = { ARGON2_MEMORY_KIB: '8', ARGON2_PASSES: '1' }
