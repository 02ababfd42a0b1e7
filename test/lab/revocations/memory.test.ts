import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startChild } from '../../support/child.js'
import { isLong, report, times } from '../form.js'

const program = fileURLToPath(new URL('memory.js', import.meta.url))
const entries = times(100_000, 500_000)
/** The compiled code weighs less with many entries. */
const fixedBytes = times(2 * 2 ** 20, 0)

const types = ['tokens-revoked', 'session-revoked', 'both', 'token-claims-change', 'tenant-deleted']

it.for(isLong ? types : types.slice(2, 4))(
  'the default maximum of revocations takes at most 100 MiB: %s',
  async (type) => {
    const args = ['--expose-gc', '--import', 'tsx', program, type, String(entries)]
    const { code, stdout, stderr } = await startChild(process.execPath, args).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const result = JSON.parse(stdout)
    expect(result.entries).toBe(entries)
    expect(result.bytes).toBeLessThan(((100 * 2 ** 20) / 500_000) * entries + fixedBytes)
    const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0)
    const { microseconds, longestMs, fillMs } = result
    report(
      `| ${type} | ${mebibytes(result.bytes)} | ${mebibytes(result.rss)} | ${microseconds.toFixed(2)} | ${longestMs.toFixed(0)} | ${(fillMs / 1000).toFixed(1)} |`,
    )
    if (isLong) expect(microseconds).toBeLessThan(10)
  },
)
