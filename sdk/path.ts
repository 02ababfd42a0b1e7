/** Returns a path whose parameters, such as `{userId}`, are replaced by ids, which it removes from the list. */
export const pathWith = (path: string, ids: unknown[]) =>
  // A text that is no ID or domain could lead to another path, such as that of a list.
  path.replace(/\{\w+\}/g, () => String(ids.shift()).replace(/[^\w.-]|^\.|\.(?!\w)|^$/g, '_'))

/** Parameters of a query. Undefined ones are left out. */
export type Query = Record<string, string | number | boolean | undefined>

/** Returns the text of a query, with its question mark. */
export function queryText(query: Query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
