import { operations } from '../operations.js'

interface Action {
  action: string
  fields?: string | null
}

/** Shows what an operator has done in words, or the name of an operation that is no longer recorded. */
export function Phrase({ of: { action, fields } }: { of: Action }) {
  const { records } = Object.hasOwn(operations, action) ? operations[action as keyof typeof operations] : {}
  return <>{records ? (records.when?.[fields ?? ''] ?? records.words) : <code>{action}</code>}</>
}
