import type { ProblemType } from '@usher/contract'

/** A problem type as a page; nothing in it comes from a request. */
export const problemPage = ({ code, status, title, advice }: ProblemType) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p><code>${code}</code>, HTTP status ${status}</p>
<p>${advice}</p>
<p><a href="../docs">API reference</a></p>
</body>
</html>
`
