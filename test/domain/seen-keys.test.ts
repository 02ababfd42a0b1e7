import { expect, it } from 'vitest'
import { createSeenKeys } from '../../server/domain/admin/import-export/seen-keys.js'

it('returns true for each new text and false for each repeated one', () => {
  const isFirst = createSeenKeys()
  const texts = Array.from({ length: 20_000 }, (_, index) => `user${index}@example.com`)
  expect(texts.filter((text) => isFirst(text))).toHaveLength(texts.length)
  expect(texts.filter((text) => isFirst(text))).toEqual([])
  expect(isFirst('another@example.com')).toBe(true)
})
