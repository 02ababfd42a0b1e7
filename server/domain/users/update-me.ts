import type { UpdateMeBody, User } from '@usher/contract'
import { updatePreferredName } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventMessages } from '../outbox/events.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { userBody } from './me.js'

/** Changes the fields of a user that the body has. */
export async function updateMe(
  context: AppContext,
  { database, user, body: { preferredName }, caller }: UserRequest<UpdateMeBody>,
): Promise<User> {
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
  audit(caller.log, 'user.updated', { databaseId: database.id, userId: user.id })
  return userBody({ ...user, preferredName })
}
