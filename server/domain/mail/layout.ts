import { directionOf } from './languages.js'

/** What a database shows in all mails. */
export interface Look {
  app: string
  /** An https URL. */
  logoUrl: string | null
  /** `#rrggbb`. */
  color: string
}

/** A paragraph as HTML, or a button. */
export type Block = { html: string } | { label: string; url: string }

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export const escapeHtml = (value: string) =>
  value.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** Returns the relative luminance of a color (WCAG 2.2). */
function luminanceOf(color: string) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns black or white, whichever has more contrast to a color: at least 4.58, more than the 4.5 of WCAG AA. */
export const textOn = (color: string) => (luminanceOf(color) > 0.179 ? '#000000' : '#ffffff')

// Gmail and Outlook keep inline styles and drop most others. Clients that know prefers-color-scheme get the dark colors.
// Others invert the light ones, which works because every text has a color and a ground. The border of the button replaces
// a padding, which Outlook for Windows drops.
const dark = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.ground{background-color:#16181b!important}
.card{background-color:#24272b!important}
.text{color:#eceef0!important}
.soft{color:#b8bdc4!important}
}`
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const text = `margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1b1d20`
const soft = `margin:0 0 24px;${font};font-size:13px;line-height:20px;color:#565b63`

/** Returns a mail as HTML: one column of at most 600 pixels. It has no table, and needs no image. */
export function layOut(
  blocks: readonly Block[],
  { subject, locale }: { subject: string; locale: string },
  look: Look,
) {
  const { app, logoUrl, color } = look
  const language = `lang="${locale}" dir="${directionOf(locale)}"`
  const name = escapeHtml(app)
  const logo = `<img src="${escapeHtml(logoUrl ?? '')}" alt="${name}" height="40" style="height:40px;border:0;padding:6px;border-radius:6px;background-color:#ffffff;${font};font-size:18px;color:#1b1d20">`
  return `<!doctype html>
<html ${language}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${dark}</style>
</head>
<body class="ground" style="margin:0;padding:0;background-color:#f1f2f4">
<div class="ground" ${language} style="padding:24px 12px;background-color:#f1f2f4">
<div class="card" style="max-width:600px;margin:0 auto;border-top:4px solid ${color};background-color:#ffffff">
<div style="padding:28px 32px 16px">
<p class="text" style="${text};font-size:18px;font-weight:bold">${logoUrl ? logo : `<bdi>${name}</bdi>`}</p>
${blocks.map((block) => blockHtml(block, color)).join('\n')}
</div>
</div>
</div>
</body>
</html>
`
}

function blockHtml(block: Block, color: string) {
  if ('html' in block) return `<p class="text" style="${text}">${block.html}</p>`
  const url = escapeHtml(block.url)
  const button = `display:inline-block;border:12px solid ${color};border-width:12px 24px;border-radius:6px;background-color:${color};${font};font-size:16px;line-height:24px;font-weight:bold;text-decoration:none;color:${textOn(color)}`
  return `<p style="margin:24px 0 12px"><a href="${url}" style="${button}">${block.label}</a></p>
<p class="soft" style="${soft};word-break:break-all"><a class="soft" href="${url}" style="color:#565b63"><bdi dir="ltr">${url}</bdi></a></p>`
}
