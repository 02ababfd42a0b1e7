import type { Store } from '../../store.js'

// The statements of this folder are dynamic (filters, pages, partial updates) or only for operators. They use Prisma's
// typed client. It is loaded when the first of them runs, so that starts and requests of users do not wait for it. The
// statements in the parent folder are static and on the path of a request. Each is a named statement.

export type TypedQueries = Pick<Store, 'query' | 'loadPrisma'>
