import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  RefusedResponse,
  readAuthenticatorData,
  readClientData,
} from '../../server/domain/webauthn/signed-data.js'
import { flag } from '../support/authenticator.js'

const rp = { domain: 'example.com', origins: ['https://app.example.com', 'http://localhost:5173'] }
const right = { type: 'webauthn.get', challenge: 'AA', origin: 'https://app.example.com', crossOrigin: false }

const read = (data: unknown, type: 'webauthn.get' | 'webauthn.create' = 'webauthn.get') =>
  readClientData(Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)).toString('base64url'), {
    ...rp,
    type,
  })

it.for([
  right,
  { ...right, origin: 'http://localhost:5173' },
  { ...right, crossOrigin: undefined },
  { ...right, tokenBinding: { status: 'supported' }, extraData: 'more' },
])('accepts what the browser has signed: %j', (data) => {
  expect(read(data)).toEqual({ challenge: 'AA', origin: data.origin })
})

it.for<[unknown, string]>([
  [{ ...right, type: 'webauthn.create' }, 'signed for webauthn.get'],
  [{ ...right, type: 'payment.get' }, 'signed for webauthn.get'],
  [{ ...right, challenge: undefined }, 'no challenge'],
  [{ ...right, challenge: 1 }, 'no challenge'],
  [{ ...right, origin: undefined }, 'no origin'],
  [
    { ...right, origin: 'https://app.example.com.evil.example' },
    'origin "https://app.example.com.evil.example"',
  ],
  [{ ...right, origin: 'https://example.com' }, 'origin "https://example.com"'],
  [{ ...right, origin: 'http://app.example.com' }, 'origin'],
  [{ ...right, origin: 'https://app.example.com:8443' }, 'origin'],
  [{ ...right, origin: 'https://APP.example.com' }, 'origin'],
  [{ ...right, origin: 'https://app.example.com/' }, 'origin'],
  [{ ...right, origin: 'null' }, 'origin'],
  [{ ...right, crossOrigin: true }, 'frame'],
  [{ ...right, crossOrigin: 'false' }, 'frame'],
  [{ ...right, crossOrigin: null }, 'frame'],
  [{ ...right, topOrigin: 'https://app.example.com' }, 'frame'],
  [[right], 'no JSON object'],
  ['', 'no JSON object'],
  ['null', 'no JSON object'],
  ['{"type":"webauthn.get"', 'no JSON object'],
])('refuses what the browser has signed: %j', ([data, message]) => {
  expect(() => read(data)).toThrow(RefusedResponse)
  expect(() => read(data)).toThrow(message)
})

it('refuses client data that are not UTF-8', () => {
  const text = Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xff]), Buffer.from('"}')]).toString(
    'base64url',
  )
  expect(() => readClientData(text, { ...rp, type: 'webauthn.get' })).toThrow('no JSON object')
})

const data = (flags: number, domain = 'example.com') =>
  Buffer.concat([createHash('sha256').update(domain).digest(), Buffer.from([flags, 0, 0, 1, 2])])
const readData = (bytes: Buffer, needsVerification = true) =>
  readAuthenticatorData(bytes, { domain: 'example.com', needsVerification })

it('reads flags and counter of an authenticator', () => {
  const { present, verified, backupEligible, backedUp } = flag
  expect(readData(data(present | verified))).toEqual({
    isUserVerified: true,
    isSynced: false,
    signCount: 258,
  })
  expect(readData(data(present | backupEligible), false)).toMatchObject({
    isUserVerified: false,
    isSynced: true,
  })
  expect(readData(data(present | verified | backupEligible | backedUp)).isSynced).toBe(true)
})

it.for<[number, string, string]>([
  [flag.verified, 'example.com', 'Nobody'],
  [flag.present, 'example.com', 'not verified'],
  [flag.present | flag.verified, 'www.example.com', 'another domain'],
  [flag.present | flag.verified | flag.backedUp, 'example.com', 'contradict'],
])('refuses flags %i of %s', ([flags, domain, message]) => {
  expect(() => readData(data(flags, domain))).toThrow(message)
})

it('refuses authenticator data of every shorter length', () => {
  const whole = data(flag.present | flag.verified)
  for (let length = 0; length < whole.length; length++)
    expect(() => readData(whole.subarray(0, length))).toThrow('too short')
})
