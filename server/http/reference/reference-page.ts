import { version } from '../../version.js'

/** Returns the page that renders the OpenAPI document. Its links are relative, because a proxy may add a prefix. */
export async function referencePage(baseUrl: string) {
  const { openApiDocument } = await import('@usher/contract/openapi')
  const { info } = openApiDocument(baseUrl, version)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Usher API</title>
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
<h1>Usher API <small>${info.version}</small></h1>
<p>${info.description}</p>
<p><a href="openapi.json">OpenAPI 3.1</a> <a href="openapi-3.0.json">OpenAPI 3.0</a></p>
<p>A path that begins with … is below <code>/workspaces/{workspaceSlug}/databases/{databaseName}</code>.</p>
</header>
<div id="reference" data-document="openapi.json"><p role="status">Loading…</p></div>
<noscript><p>This page needs JavaScript. The OpenAPI documents above do not.</p></noscript>
</body>
</html>
`
}
