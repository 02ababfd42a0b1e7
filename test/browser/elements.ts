import { readFile } from 'node:fs/promises'
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
    "img-src 'self' data:",
    `connect-src 'self' ${server}`,
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** A database as pages address it. */
export interface Place {
  baseUrl: string
  workspace: string
  database: string
}

/** A server of a page. */
export interface ServedPage {
  url: string
  close(): Promise<void>
}

interface PageOptions {
  /** Its module, which may import the SDK. */
  script: string
  /** Its HTML. */
  body: string
  /** Origin to which it sends requests. */
  server: string
  /** A free one by default. */
  port?: number | undefined
  /** Values of `import.meta.env`. */
  env?: Readonly<Record<string, string>>
}

/** Serves a page for each path, under a strict policy. */
export async function servePage({
  script,
  body,
  server,
  port = 0,
  env = {},
}: PageOptions): Promise<ServedPage> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    outdir: 'out',
    conditions: ['@usher/source'],
    define: { 'import.meta.env': JSON.stringify(env) },
    write: false,
  })
  const fileOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  const [code, style] = ['.js', '.css'].map(fileOf)
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta name="color-scheme" content="light dark">
    <title>Example</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/page.css">
    <script type="module" src="/page.js"></script>
  </head>
  <body>${body}</body>
</html>`
  const files: Record<string, [type: string, text: string | undefined]> = {
    '/page.js': ['text/javascript', code],
    '/page.css': ['text/css', style],
    '/icon.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  }
  const http = createServer(({ url = '/' }, response) => {
    const [type, text] = files[url] ?? ['text/html', page]
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': policyOf(server),
    })
    response.end(text)
  })
  await new Promise<void>((listening) => http.listen(port, 'localhost', listening))
  return {
    url: `http://localhost:${(http.address() as AddressInfo).port}`,
    async close() {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}

/** Serves the example of the SDK for a database, under a strict policy. */
export async function serveExample({ baseUrl, workspace, database }: Place, port?: number) {
  const read = (file: string) => readFile(`${root}/sdk/example/${file}`, 'utf8')
  return servePage({
    script: `import './sdk/example/style.css'\nimport './sdk/example/looks.css'\n${await read('main.ts')}`,
    body: /<body>(.*)<\/body>/s.exec(await read('index.html'))?.[1] ?? '',
    server: baseUrl,
    port,
    env: { VITE_USHER_URL: baseUrl, VITE_USHER_WORKSPACE: workspace, VITE_USHER_DATABASE: database },
  })
}
