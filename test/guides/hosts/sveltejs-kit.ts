/** Stands in for `@sveltejs/kit`. */
export interface RequestEvent {
  cookies: {
    get(name: string): string | undefined
    set(name: string, value: string, options: { path: string; maxAge?: number }): void
    delete(name: string, options: { path: string }): void
  }
  request: { formData(): Promise<FormData> }
  getClientAddress(): string
}

/** Throws on instances of classes, which SvelteKit cannot send to the page. */
export function fail<Data extends object>(status: number, data: Data) {
  for (const value of Object.values(data)) {
    if (Object.getPrototypeOf(value) !== Object.prototype)
      throw new Error('Cannot stringify arbitrary non-POJOs')
  }
  return { status, data }
}

export function redirect(status: number, path: string): never {
  throw new Error(`${status} to ${path}`)
}

export function error(status: number, message: string): never {
  throw new Error(`${status}: ${message}`)
}
