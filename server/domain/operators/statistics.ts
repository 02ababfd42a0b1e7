import type { Statistics, StatisticsQuery } from '@usher/contract/operator'
import { findDays, findUserCount } from '../../store/queries/statistics.js'
import type { AppContext } from '../context.js'
import { dayOf, noCounts } from '../statistics/daily-counts.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

const dayMilliseconds = 86_400_000

/** Returns the counts of the last days of a database, and the number of its users. */
export async function getStatistics(
  context: AppContext,
  { database, query }: OperatorDatabaseRequest & { query: StatisticsQuery },
): Promise<Statistics> {
  const { days: count = 30 } = query
  const days = Array.from({ length: count }, (_, index) =>
    dayOf(context.now() - (count - 1 - index) * dayMilliseconds),
  )
  const found = new Map(
    (await findDays(context.store, database.id, days[0] as string)).map((row) => [row.day, row]),
  )
  const { users, hasMore, countedAt } = await findUserCount(context.store, database.id)
  return {
    days: days.map((day) => found.get(day) ?? { day, ...noCounts() }),
    users,
    hasMore,
    countedAt: countedAt?.toISOString() ?? null,
  }
}
