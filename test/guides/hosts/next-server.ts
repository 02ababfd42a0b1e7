/** Stands in for `next/server`: requests and responses whose cookies can be changed. */
import type { CookieOptions } from './next-headers.js'

export interface NextRequest {
  headers: Headers
  cookies: {
    get(name: string): { value: string } | undefined
    set(name: string, value: string): unknown
    delete(name: string): unknown
  }
}

/** Passes the request on to the page, with the cookies that were set before. */
const next = ({ request }: { request: NextRequest }) => {
  const changes = new Map<string, { value: string } & CookieOptions>()
  return {
    request,
    changes,
    cookies: {
      set: (name: string, value: string, options: CookieOptions) => changes.set(name, { value, ...options }),
      delete: (name: string) => changes.set(name, { value: '', maxAge: 0 }),
    },
  }
}

export const NextResponse = { next }
