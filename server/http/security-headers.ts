/**
 * Headers of every response, after the OWASP HTTP Headers Cheat Sheet: no page may embed the API, and nothing may be
 * loaded or cached. Names are lower-case, as Node writes them.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
