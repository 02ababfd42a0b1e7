import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a page of the elements must live with: no script or style but those of its own files, and no text that becomes HTML. */
const policyOf = (server: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    `connect-src 'self' ${server}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** A server of a page. */
export interface ServedPage {
  url: string
  close(): Promise<void>
}

/**
 * Serves a page for each path, under a strict policy.
 *
 * @param script its module, which may import the SDK
 * @param body its HTML
 * @param server origin to which it sends requests
 */
export async function servePage({
  script,
  body,
  server,
}: {
  script: string
  body: string
  server: string
}): Promise<ServedPage> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    outdir: 'out',
    conditions: ['@usher/source'],
    write: false,
  })
  const fileOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  const [code, style] = ['.js', '.css'].map(fileOf)
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Example</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/page.css">
    <script type="module" src="/page.js"></script>
  </head>
  <body><main>${body}</main></body>
</html>`
  const files: Record<string, [type: string, text: string | undefined]> = {
    '/page.js': ['text/javascript', code],
    '/page.css': ['text/css', style],
  }
  const http = createServer(({ url = '/' }, response) => {
    const [type, text] = files[url] ?? ['text/html', page]
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': policyOf(server),
    })
    response.end(text)
  })
  await new Promise<void>((listening) => http.listen(0, 'localhost', listening))
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    async close() {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}
