const svg = 'http://www.w3.org/2000/svg'

/** Returns the picture of a QR code. @param label what screen readers say instead */
export async function qrOf(content: string, label: string): Promise<SVGElement> {
  // Only who adds an authenticator app loads it.
  const { encode } = await import('uqr')
  const { data, size } = encode(content, { border: 4 })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  const picture = document.createElementNS(svg, 'svg')
  for (const [name, value] of Object.entries({
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': label,
  }))
    picture.setAttribute(name, value)
  const dark = document.createElementNS(svg, 'path')
  dark.setAttribute('d', path)
  picture.append(dark)
  return picture
}
