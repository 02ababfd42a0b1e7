import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'

/**
 * What Helmet sets on an answer, but for what old browsers and other documents than ours would heed. It is the same
 * for each of ours, so Helmet is asked once and not at each request.
 */
export function securityHeaders() {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => undefined,
  }
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: { action: 'deny' },
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  })
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => undefined)
  return headers
}
