import type { UpdateMeBody, User } from '@usher/contract'
import { type Renaming, updatePreferredName } from '../../store/queries/users.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { eventChannels, eventMessagesOf } from '../events/events.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { userBody } from './me.js'

/** Changes the fields of a user that the body has. */
export async function updateMe(
  context: AppContext,
  { database, user, body: { preferredName }, caller }: UserRequest<UpdateMeBody>,
): Promise<User> {
  if (preferredName === undefined) return userBody(user)
  const messages = eventMessagesOf<Renaming>(database, new Date(context.now()), ({ isRenamed }) =>
    isRenamed ? [{ type: 'user.updated', userId: user.id }] : [],
  )
  const read = { ...user, databaseId: database.id }
  const isRenamed = await updatePreferredName(context.store, read, { preferredName, messages })
  if (isRenamed === undefined) throw new Problem('token_invalid')
  if (isRenamed) {
    context.deliver(eventChannels(database))
    audit(caller.log, 'user.updated', { databaseId: database.id, userId: user.id })
  }
  return userBody({ ...user, preferredName })
}
