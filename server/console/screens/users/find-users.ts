import { call, type DataOf, type Result } from '../../api.js'

type Query = NonNullable<Parameters<typeof call<'listUsers'>>[1]['query']>
type UserList = DataOf<'listUsers'>
interface At {
  workspaceSlug: string
  databaseName: string
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The lists by prefix, each of which has pages of its own. Null: it has ended. */
type Cursors = Partial<Record<'emailPrefix' | 'namePrefix', string | null>>

/**
 * Returns the users whose address or name begins with a text, and the one who has it as ID or external ID. A page has one of each
 * list, because each has an index and no index has both.
 */
export async function findUsers(at: At, text: string, after: string | undefined): Promise<Result<UserList>> {
  const cursors: Cursors = after ? JSON.parse(after) : {}
  const list = (query: Query) => call('listUsers', { ...at, query })
  const page = (way: keyof Cursors) =>
    cursors[way] === null ? undefined : list({ [way]: text, after: cursors[way] })
  const [byEmail, byName, ...exact] = await Promise.all([
    page('emailPrefix'),
    page('namePrefix'),
    after ? undefined : list({ externalId: text }),
    !after && uuid.test(text) ? list({ ids: text }) : undefined,
  ])
  const pages = [...exact, byEmail, byName].filter((each) => each !== undefined)
  const failed = pages.find(({ error }) => error)
  if (failed?.error) return { error: failed.error }
  // One user may be in several lists.
  const users = new Map(pages.flatMap(({ data }) => data?.users ?? []).map((user) => [user.id, user]))
  const next: Cursors = {
    emailPrefix: byEmail?.data?.next ?? null,
    namePrefix: byName?.data?.next ?? null,
  }
  const hasNext = Object.values(next).some((cursor) => cursor !== null)
  return {
    data: { users: [...users.values()], next: hasNext ? JSON.stringify(next) : null },
    etag: undefined,
  }
}
