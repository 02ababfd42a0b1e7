import { encode } from 'uqr'
import { create } from './dom.js'

/** Returns the picture of a QR code. @param label what screen readers say instead */
export function qrOf(content: string, label: string) {
  const { data, size } = encode(content, { border: 4 })
  const d = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  const attributes = { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label }
  return create('svg', attributes, create('path', { d }))
}
