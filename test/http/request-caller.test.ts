import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RequestCaller } from '../../server/http/request-caller.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function newCaller(clientAddress = '203.0.113.7') {
  const headers: Record<string, number> = {}
  const raw = Object.assign(new EventEmitter(), { destroyed: false })
  const reply = {
    raw,
    elapsedTime: 40,
    header: (name: string, value: number) => Object.assign(headers, { [name]: value }),
  }
  const request = { clientAddress, headers: {} }
  const caller = new RequestCaller(request as never, reply as never, { queueSeconds: 2 })
  return { caller, raw, headers }
}

it('the deadline of a request counts from its arrival', () => {
  const { caller } = newCaller()
  vi.advanceTimersByTime(1_000)
  expect(caller.deadline - performance.now()).toBe(1_960)
})

it('a caller has the address of the client, and its network', () => {
  expect(newCaller().caller).toMatchObject({ clientAddress: '203.0.113.7', network: '203.0.113.7' })
  expect(newCaller('2001:db8:1:2:3::4').caller.network).toBe(newCaller('2001:db8:1:2::').caller.network)
})

it('a caller can be asked to wait', () => {
  const { caller, headers } = newCaller()
  caller.askToWait(7)
  expect(headers).toEqual({ 'Retry-After': 7 })
})

it('a caller notices a disconnected client once, unless it does not listen any more', () => {
  const { caller, raw } = newCaller()
  expect(caller.isDisconnected()).toBe(false)
  const calls: string[] = []
  caller.onceDisconnected(() => void calls.push('listens'))
  const stop = caller.onceDisconnected(() => void calls.push('has stopped'))
  stop()
  raw.destroyed = true
  raw.emit('close')
  raw.emit('close')
  expect([caller.isDisconnected(), calls]).toEqual([true, ['listens']])
})
