import { version } from '../../version.js'

/** A page that renders an OpenAPI document. */
export interface ReferencePage {
  title: string
  /** The function of `@usher/contract/openapi` that returns the document. */
  document: 'openApiDocument' | 'managementDocument'
  /** Path of the folder of the page, its assets and its documents. */
  folder: '/' | '/management/'
  /** What most paths of the document begin with. */
  prefix: string
  /** URL of the problem types. */
  problems: string
  /** Link to the page of the other part of the API, if this server has it. */
  other?: { href: string; text: string } | undefined
}

/** Returns the HTML of a page. Its links are relative, because a proxy may add a prefix. */
export async function referencePage(baseUrl: string, page: ReferencePage) {
  const documents = await import('@usher/contract/openapi')
  const { info } = documents[page.document](baseUrl, version)
  const { title, folder, prefix, problems, other } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<link rel="stylesheet" href="docs/phone.css" media="(max-width: 40rem)">
<link rel="stylesheet" href="docs/colors.css">
<script defer src="docs/swagger-ui-bundle.js"></script>
<script type="module" src="docs/page.js"></script>
</head>
<body>
<header>
<h1>${title} <small>${info.version}</small></h1>
<p>${withCode(info.description ?? '')}</p>
<p><a href="openapi.json">OpenAPI 3.1</a> <a href="openapi-3.0.json">OpenAPI 3.0</a>${
    other ? ` <a href="${other.href}">${other.text}</a>` : ''
  }</p>
<p>A path that begins with … is below <code>${prefix}</code>.</p>
</header>
<div id="reference" data-root="${folder === '/' ? '.' : '..'}" data-prefix="${prefix}" data-problems="${problems}"><p role="status">Loading…</p></div>
<noscript><p>This page needs JavaScript. The OpenAPI documents above do not.</p></noscript>
</body>
</html>
`
}

const withCode = (text: string) => text.replace(/`([^`]+)`/g, '<code>$1</code>')
