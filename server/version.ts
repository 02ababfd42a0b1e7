import { createRequire } from 'node:module'

/** The version of this package: of the API's document and of the command line. */
export const version: string = createRequire(import.meta.url)('@usher/server/package.json').version
