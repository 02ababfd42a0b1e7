import { eventTypes } from '../../server/dist/domain/events/events.js'
import { codes, sentence, table } from './markdown.js'

/** The events of webhooks and of the management API. */
export const events = table(
  ['type', 'ids in `data`', 'when'],
  Object.entries(eventTypes).map(([type, { ids, when }]) => [`\`${type}\``, codes(ids), sentence(when)]),
)
