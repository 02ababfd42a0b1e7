/** Stands in for `expo-secure-store`: refuses the keys that it refuses, and answers late. */
const items = new Map<string, string>()

async function accept(key: string) {
  if (!/^[\w.-]+$/.test(key)) throw new Error('Invalid key provided to SecureStore.')
  await new Promise(setImmediate)
}

export async function getItemAsync(key: string) {
  await accept(key)
  return items.get(key) ?? null
}

export async function setItemAsync(key: string, value: string) {
  await accept(key)
  items.set(key, value)
}

export async function deleteItemAsync(key: string) {
  await accept(key)
  items.delete(key)
}

/** For the test: the keychain of the device. */
export { items }
