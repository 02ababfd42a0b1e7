import type { UpdateMeBody, User } from '@usher/contract'
import { updatePreferredName } from '../../store/queries/users.js'
import { audit, type Log } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { eventMessages } from '../outbox/events.js'
import { Problem } from '../problem.js'
import { userBody } from './me.js'
import { userOfToken } from './user-of-token.js'

/** Changes the fields of a user that the body has. */
export async function updateMe(
  context: AppContext,
  database: Database,
  jwt: string,
  { preferredName }: UpdateMeBody,
  log: Log,
): Promise<User> {
  const { user } = await userOfToken(context, database, jwt, log)
  if (preferredName === undefined) return userBody(user)
  const messages = eventMessages(database, new Date(context.now()), [
    { type: 'user.updated', userId: user.id },
  ])
  const changed = await updatePreferredName(
    context.store,
    { ...user, databaseId: database.id },
    preferredName,
    messages,
  )
  if (changed.length === 0) throw new Problem('token_invalid')
  context.deliver(messages)
  audit(log, 'user.updated', { databaseId: database.id, userId: user.id })
  return userBody({ ...user, preferredName })
}
