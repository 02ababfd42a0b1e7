// Compares pages that render an OpenAPI document: size, what a strict Content-Security-Policy leaves, and accessibility.
// npm run lab -- reference [FOLDER], a folder with the packages in node_modules. Without it, npm installs them.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openApiDocument } from '@usher/contract/openapi'
import { accessibilityErrorsOf } from '../../support/accessibility.js'
import { findChromium, launchChromium } from '../../support/chromium.js'

interface Candidate {
  files: string[]
  body?: string
  script: string
}

/** Each with what its own documentation says about a page without a content delivery network. */
const candidates: Record<string, Candidate> = {
  'swagger-ui-dist@5.35.0': {
    files: ['swagger-ui-bundle.js', 'swagger-ui.css'],
    script: `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#page', tryItOutEnabled: true })`,
  },
  '@scalar/api-reference@1.72.1': {
    files: ['dist/browser/standalone.js'],
    script: `Scalar.createApiReference('#page', { url: '/openapi.json', withDefaultFonts: false, telemetry: false })`,
  },
  'redoc@2.5.4': {
    files: ['bundles/redoc.standalone.js'],
    script: `Redoc.init('/openapi.json', {}, document.getElementById('page'))`,
  },
  'rapidoc@9.3.8': {
    files: ['dist/rapidoc-min.js'],
    body: '<rapi-doc spec-url="/openapi.json" load-fonts="false"></rapi-doc>',
    script: '',
  },
}

const strict =
  "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;font-src 'self';connect-src 'self'"
const policies = {
  strict,
  'inline styles': strict.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"),
}

const kB = (bytes: number) => Math.round(bytes / 1000)
const folder = process.argv[2] ?? install(Object.keys(candidates))
const browser = await launchChromium(findChromium())
try {
  for (const [name, candidate] of Object.entries(candidates)) {
    const bytes = candidate.files.map((file) => readFileSync(pathOf(name, file)))
    const compressed = bytes.reduce((sum, file) => sum + gzipSync(file).length, 0)
    const raw = bytes.reduce((sum, file) => sum + file.length, 0)
    for (const [policyName, policy] of Object.entries(policies)) {
      const result = await visit(name, candidate, policy)
      process.stdout.write(
        `${JSON.stringify({ name, kB: kB(raw), gzipKB: kB(compressed), policyName, ...result })}\n`,
      )
    }
  }
} finally {
  await browser.close()
}

function pathOf(name: string, file: string) {
  return join(folder, 'node_modules', name.replace(/@[\d.]+$/, ''), file)
}

function install(packages: string[]) {
  const target = mkdtempSync(join(tmpdir(), 'usher-reference-'))
  execFileSync('npm', ['install', '--prefix', target, '--ignore-scripts', '--no-audit', ...packages], {
    stdio: ['ignore', 2, 2],
  })
  return target
}

/** Opens a page with the document at the width of a phone. */
async function visit(name: string, { files, body, script }: Candidate, policy: string) {
  const server = createServer(({ url = '/' }, response) => {
    response.setHeader('content-security-policy', policy)
    if (url === '/openapi.json') return response.end(JSON.stringify(openApiDocument(`http://localhost`, '0')))
    const file = files.find((each) => `/${each}` === url)
    response.setHeader(
      'content-type',
      /css$/.test(url)
        ? 'text/css; charset=utf-8'
        : /js$/.test(url)
          ? 'text/javascript; charset=utf-8'
          : 'text/html; charset=utf-8',
    )
    if (file) return response.end(readFileSync(pathOf(name, file)))
    if (url === '/start.js') return response.end(script)
    if (url !== '/') return response.writeHead(404).end()
    const scripts = [...files, 'start.js'].map((each) =>
      each.endsWith('css')
        ? `<link rel="stylesheet" href="${each}">`
        : `<script defer src="${each}"></script>`,
    )
    response.end(
      `<!doctype html><html lang="en"><title>API</title><meta name="viewport" content="width=device-width"><body>${body ?? '<div id="page"></div>'}${scripts.join('')}`,
    )
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  let violations = 0
  let otherErrors = 0
  const hosts = new Set<string>()
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) violations++
    else if (message.type() === 'error') otherErrors++
  })
  page.on('pageerror', () => otherErrors++)
  page.on('request', (request) => hosts.add(new URL(request.url()).hostname))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const rendered = await page
    .getByText(/Log in a user|\/users\/login/)
    .first()
    .waitFor({ timeout: 15_000, state: 'attached' })
    .then(
      () => true,
      () => false,
    )
  await page.screenshot({
    path: join(folder, `${name.replace(/\W+/g, '-')}-${policy.includes('unsafe') ? 'inline' : 'strict'}.png`),
  })
  const width = await page.evaluate<number>('document.scrollingElement.scrollWidth')
  const errors = rendered ? await accessibilityErrorsOf(page) : []
  const rules: Record<string, number> = {}
  for (const error of errors) {
    const rule = error.split(' ').slice(0, 2).join(' ')
    rules[rule] = (rules[rule] ?? 0) + 1
  }
  await context.close()
  server.close()
  const otherHosts = [...hosts].filter((host) => host !== '127.0.0.1')
  return { rendered, violations, otherErrors, otherHosts, width, accessibilityErrors: errors.length, rules }
}
