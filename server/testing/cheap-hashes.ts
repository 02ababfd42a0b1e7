/** Settings for the lowest hashing cost, for tests that do not test hashing. */
export const cheapHashes = { ARGON2_MEMORY_KIB: '8', ARGON2_PASSES: '1', HASH_CONCURRENCY: '1' }
