import { expect, it } from 'vitest'
import { createSeenKeys } from '../../server/domain/admin/import-export/seen-keys.js'

it('tells each text that came before from each that did not, as many as there are', () => {
  const isFirst = createSeenKeys()
  const texts = Array.from({ length: 20_000 }, (_, index) => `user${index}@example.com`)
  expect(texts.filter((text) => isFirst(text))).toHaveLength(texts.length)
  expect(texts.filter((text) => isFirst(text))).toEqual([])
  expect(isFirst('another@example.com')).toBe(true)
})
