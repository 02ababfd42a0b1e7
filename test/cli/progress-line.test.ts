import { describe, expect, it } from 'vitest'
import { createProgressLine } from '../../server/cli/io/output.js'

describe('createProgressLine', () => {
  const shownOn = (isTTY: boolean) => {
    const shown: unknown[] = []
    const progress = createProgressLine({ isTTY, write: (text) => shown.push(text) > 0 })
    progress.show('50 %')
    progress.clear()
    return shown.join('')
  }

  it('the progress line is overwritten on a terminal and not shown elsewhere', () => {
    expect(shownOn(true)).toBe('\r\u001b[K50 %\r\u001b[K')
    expect(shownOn(false)).toBe('')
  })
})
