import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Returns a picture of a browser with at most 40 colors, which makes it four times as small. Rare colors become the nearest one. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = decoded(png)
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 40)
    .map(([color]) => color)
  const indexes = new Map(palette.map((color, index) => [color, index]))
  const indexOf = (color: number) => {
    const known = indexes.get(color)
    if (known !== undefined) return known
    const index = nearest(palette, color)
    indexes.set(color, index)
    return index
  }
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + x + 1] = indexOf(Number(pixels[y * width + x]))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => channelsOf(color)))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const channelsOf = (color: number) => [color >> 16, (color >> 8) & 255, color & 255]

function nearest(palette: readonly number[], color: number) {
  const wanted = channelsOf(color)
  const distances = palette.map((each) =>
    channelsOf(each).reduce((sum, channel, index) => sum + (channel - Number(wanted[index])) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

function chunk(type: string, data: Buffer) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Decodes a picture with 8 bits a channel, without interlacing, as Chromium writes it (PNG, third edition, section 9). */
function decoded(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const channels = png[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(parts))
  const stride = width * channels
  const bytes = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y += 1) {
    const filter = Number(raw[y * (stride + 1)])
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : Number(bytes[y * stride + x - channels])
      const up = y === 0 ? 0 : Number(bytes[(y - 1) * stride + x])
      const corner = x < channels || y === 0 ? 0 : Number(bytes[(y - 1) * stride + x - channels])
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]
      bytes[y * stride + x] = Number(raw[y * (stride + 1) + x + 1]) + Number(guess)
    }
  }
  const pixels = new Uint32Array(width * height)
  for (let index = 0; index < pixels.length; index += 1) pixels[index] = bytes.readUIntBE(index * channels, 3)
  return { width, height, pixels }
}

function paeth(left: number, up: number, corner: number) {
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}
