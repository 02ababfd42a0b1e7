import { randomUUID } from 'node:crypto'

/** A UUID of version 7 (RFC 9562 §5.7): the time in milliseconds, then random bits, from the pool that Node keeps. */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
