/** Stands in for `expo-crypto`, whose functions are those of Web Crypto. */
export const getRandomValues = (array: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(array)

export const digest = (algorithm: string, data: BufferSource) => crypto.subtle.digest(algorithm, data)
