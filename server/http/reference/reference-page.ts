import { version } from '../../version.js'
import type { Part } from '../routes/part.js'

export interface Reference {
  baseUrl: string
  /** The parts of the API that this server has. */
  parts: readonly Part[]
}

const database = '/workspaces/{workspaceSlug}/databases/{databaseName}'

/** The pages that render the OpenAPI documents. Their links are relative, because a proxy may add a prefix. */
export const pages = {
  public: {
    title: 'Usher API',
    document: 'openApiDocument',
    folder: '/',
    root: '.',
    prefix: database,
    other: { part: 'management', href: 'management/docs', text: 'Management API' },
  },
  management: {
    title: 'Usher management API',
    document: 'managementDocument',
    folder: '/management/',
    root: '..',
    prefix: `${database}/management`,
    other: { part: 'public', href: '../docs', text: 'API of users' },
  },
} as const

/** Returns the HTML of the page of a part. */
export async function referencePage({ baseUrl, parts }: Reference, part: Part) {
  const { title, document, root, prefix, other } = pages[part]
  const documents = await import('@usher/contract/openapi')
  const { info } = documents[document](baseUrl, version)
  const link = parts.includes(other.part) ? ` <a href="${other.href}">${other.text}</a>` : ''
  const problems = `${parts.includes('public') ? root : baseUrl}/problems/`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<script defer src="docs/swagger-ui-bundle.js"></script>
<script type="module" src="docs/page.js"></script>
</head>
<body>
<header class="swagger-ui"><div class="wrapper">
<h1>${title} <small>${info.version}</small></h1>
<p>${withCode(info.description ?? '')}</p>
<p><a href="openapi.json">OpenAPI 3.1</a> <a href="openapi-3.0.json">OpenAPI 3.0</a>${link}</p>
<p>A path that begins with … is below <code>${prefix}</code>. Requests send the token of the last response that had one.</p>
</div></header>
<div id="reference" data-root="${root}" data-prefix="${prefix}" data-problems="${problems}"><p role="status">Loading…</p></div>
<noscript><p>This page needs JavaScript. The OpenAPI documents above do not.</p></noscript>
</body>
</html>
`
}

const withCode = (text: string) => text.replace(/`([^`]+)`/g, '<code>$1</code>')
