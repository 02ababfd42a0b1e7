/** Stands in for `next/headers`: one browser, whose cookies only server actions can set. */
export interface CookieOptions {
  httpOnly?: boolean
  secure?: boolean
  sameSite?: 'lax' | 'strict' | 'none'
  path?: string
  maxAge?: number
}

const jar = new Map<string, { value: string } & CookieOptions>()
let isAction = false

function assertAction() {
  if (!isAction) throw new Error('Cookies can only be modified in a Server Action or Route Handler')
}

export const cookies = async () => ({
  get: (name: string) => jar.get(name),
  set(name: string, value: string, options: CookieOptions) {
    assertAction()
    jar.set(name, { value, ...options })
    return this
  },
  delete(name: string) {
    assertAction()
    jar.delete(name)
    return this
  },
})

export const headers = async () => new Headers({ 'X-Forwarded-For': '203.0.113.7' })

/** For the test: runs a server action as Next.js does, and returns what the page receives. */
export async function runAction(action: (...args: never[]) => Promise<unknown>, ...args: unknown[]) {
  isAction = true
  try {
    const result = await action(...(args as never[]))
    return result && JSON.parse(JSON.stringify(result))
  } finally {
    isAction = false
  }
}

/** For the test: the cookies of the browser. */
export { jar }
