/** Stands in for `next/navigation`. */
export function redirect(path: string): never {
  throw new Error(`redirect to ${path}`)
}
