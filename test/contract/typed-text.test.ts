import { typedCode } from '@usher/contract'
import { expect, it } from 'vitest'

it('reads the digits of every script that has ten', () => {
  const scripts = Intl.supportedValuesOf('numberingSystem').flatMap((numberingSystem) => {
    const { format } = new Intl.NumberFormat('en', { numberingSystem })
    const digits = Array.from({ length: 10 }, (_, value) => format(value)).join('')
    return /^\p{Nd}{10}$/u.test(digits) ? [digits] : []
  })
  expect(scripts.length).toBeGreaterThan(50)
  expect(scripts.filter((digits) => typedCode(digits) !== '0123456789')).toEqual([])
})
