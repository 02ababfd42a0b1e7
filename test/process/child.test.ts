import { expect, it } from 'vitest'
import { killChildren, startChild } from '../support/child.js'

it('killChildren ends a process whose own child keeps its output open, as npm start does', async () => {
  const shell = startChild('sh', ['-c', 'sleep 600 & echo started; wait'])
  await shell.printed('started')
  await killChildren()
  expect(await shell.ended).toMatchObject({ signal: 'SIGKILL' })
})

it('killChildren ends what a process has left running', async () => {
  const shell = startChild('sh', ['-c', 'sleep 600 & echo started'])
  await shell.printed('started')
  await killChildren()
  expect(await shell.ended).toMatchObject({ code: 0 })
})

it('killChildren does not wait for a program that could not be started', async () => {
  await expect(startChild('usher-no-such-program', []).ended).rejects.toThrow('ENOENT')
  await killChildren()
})
