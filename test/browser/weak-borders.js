// Evaluated in a page. Returns the controls whose border has a contrast below 3:1 to what is around it, unless their
// background has it (WCAG 2.2, 1.4.11).
;(() => {
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })

  /** Returns red, green and blue of colors painted over each other, the lowest first. */
  function mixed(colors) {
    pixel.reset()
    for (const color of colors) {
      pixel.fillStyle = color
      pixel.fillRect(0, 0, 1, 1)
    }
    return pixel.getImageData(0, 0, 1, 1).data
  }

  function luminance([...channels]) {
    const [red, green, blue] = channels.map((channel) => {
      const value = channel / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function contrast(one, other) {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }

  function backgroundsOf(element) {
    const colors = []
    for (let each = element; each; each = each.parentElement)
      colors.unshift(getComputedStyle(each).backgroundColor)
    return ['Canvas', ...colors]
  }

  const isText = ({ borderTopWidth, borderBottomWidth, backgroundColor }) =>
    parseFloat(borderTopWidth) + parseFloat(borderBottomWidth) === 0 && /, 0\)$/.test(backgroundColor)

  return [...document.querySelectorAll('input, select, textarea, button')].flatMap((control) => {
    const style = getComputedStyle(control)
    if (!control.checkVisibility() || isText(style)) return []
    const around = backgroundsOf(control.parentElement)
    const inside = [...around, style.backgroundColor]
    const best = Math.max(
      contrast(mixed(around), mixed([...around, style.borderTopColor])),
      contrast(mixed(around), mixed(inside)),
    )
    return best < 3 ? [`border ${best.toFixed(2)}:1 ${control.outerHTML.slice(0, 120)}`] : []
  })
})()
