import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'

/** Encodes a value in DER (X.690). */
function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const { length } = content
  const head = length < 128 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const time = (daysFromNow: number) => {
  const text = new Date(Date.now() + daysFromNow * 86_400_000).toISOString()
  return der(0x17, `${text.slice(2, 19).replace(/[-:T]/g, '')}Z`)
}
const name = (commonName: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, commonName))))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const isAuthority = sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([0xff])))))
const hostName = (host: string) => sequence(oid('551d11'), der(0x04, sequence(der(0x82, host))))

/** Creates an X.509 certificate (RFC 5280) in PEM, valid for a day. Node's crypto cannot create certificates. */
function certificate(subject: string, publicKey: KeyObject, issuerKey: KeyObject, extension: Buffer) {
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    name('Test authority'),
    sequence(time(-1), time(1)),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = sign('sha256', content, issuerKey)
  return new X509Certificate(sequence(content, ecdsaWithSha256, bits(signature))).toString()
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** A certificate authority that issues certificates for servers. */
export function newAuthority() {
  const { publicKey, privateKey } = newKeys()
  return {
    certificate: certificate('Test authority', publicKey, privateKey, isAuthority),
    issue(host: string) {
      const keys = newKeys()
      return {
        certificate: certificate(host, keys.publicKey, privateKey, hostName(host)),
        privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}
