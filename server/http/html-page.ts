import { createHash } from 'node:crypto'

/** The colors are explicit, so that accessibility checkers can compute the contrast in both color schemes. */
const style =
  ':root{color-scheme:light dark;background:Canvas;color:CanvasText}' +
  'body{max-width:40rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}'

const styleHash = createHash('sha256').update(style).digest('base64')
/** Headers of every page. The policy allows nothing but its style. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none';style-src 'sha256-${styleHash}';frame-ancestors 'none'`,
}

/** Returns an HTML page of paragraphs in HTML. It contains nothing from a request, so nothing is escaped. */
export const htmlPage = (title: string, paragraphs: readonly string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</main>
</body>
</html>
`
