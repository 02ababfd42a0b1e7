import { expect, it } from 'vitest'
import { compareWithLastRelease } from './releases.js'

const recorded = `Text.

| release | login | me |
| --- | --- | --- |
| 0.1.0 | 0.5 | 0.5 |
| 0.2.0 | 0.960 | 1.50 |
`

const tableWith = (ratio: string) => `| login | requests/s | rate to floor | CPU to floor |
| --- | --- | --- | --- |
| floor | 150 | 1.00 | 1.00 |
| Usher, one process | 140 | 0.1 | 1.1 |
| Usher | 140 | ${ratio} | 1.1 |`

it('names the ratios that are more than 5 % below those of the last release', () => {
  const tables = { login: tableWith('0.880'), me: tableWith('1.43') }
  const { row, fallen } = compareWithLastRelease(tables, recorded, '0.3.0')
  expect(fallen).toEqual(["login fell by 8 %: 0.88 of the floor's rate, 0.96 in 0.2.0"])
  expect(row.split('\n').at(-1)).toBe('| 0.3.0 | 0.880 | 1.43 |')
})

it('says nothing of parts that did not run', () => {
  const { row, fallen } = compareWithLastRelease({ login: tableWith('0.920') }, recorded, '0.3.0')
  expect(fallen).toEqual([])
  expect(row.split('\n').at(-1)).toBe('| 0.3.0 | 0.920 |  |')
})
