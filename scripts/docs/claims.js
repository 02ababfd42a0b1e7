import { tokenClaims } from '@usher/contract/settings'
import { sentence, table } from './markdown.js'

/** The claims of a token. */
export const claims = table(
  ['claim', 'value'],
  Object.entries(tokenClaims).map(([name, value]) => [`\`${name}\``, sentence(value)]),
)
