import { v7 as uuidv7 } from 'uuid'
import type { NewMessage } from '../../store/queries/outbox.js'

/** A mail to the owners of a tenant. */
export type OwnerMail = 'sso_changed' | 'sso_domain_missing'

/** A mail to a user. */
interface UserMail {
  databaseId: string
  /** Also the name of its template, unless `template` is set. */
  type: string
  template?: string
  /** Undefined if there is no such user. Then the delivery does nothing. */
  userId: string | undefined
  /** The address. By default that of the user when the mail is sent. */
  recipient?: string
  /** What the operator calls the provider of an identity. */
  provider?: string
  /** Name of a tenant. */
  tenant?: string
  /** A mail domain of it. */
  domain?: string
}

/** Returns the message that sends a mail to a user. The id of its code, if it sends one, is that of the message. */
export const mailMessage = (
  { databaseId, type, template, userId, recipient, ...shown }: UserMail,
  createdAt: Date,
) => ({
  databaseId,
  id: uuidv7(),
  kind: 'mail',
  userId: userId ?? null,
  payload: { type, ...(template && { template }), ...shown },
  ...(recipient !== undefined && { recipient }),
  createdAt,
  dueAt: createdAt,
})

/**
 * Returns messages whose mails have some languages, which are used if the user of the mail has none when it is sent. Earlier
 * languages come first.
 */
export const inLanguages = <Message extends NewMessage>(
  messages: readonly Message[],
  languages: readonly (string | null)[],
): readonly Message[] => {
  const added = languages.filter((each) => each !== null)
  if (added.length === 0) return messages
  return messages.map((message) =>
    message.kind === 'mail'
      ? { ...message, payload: { ...message.payload, languages: [...languagesOf(message), ...added] } }
      : message,
  )
}

/** Returns the languages of a message. */
export const languagesOf = ({ payload }: { payload: unknown }) =>
  (payload as { languages?: string[] }).languages ?? []
