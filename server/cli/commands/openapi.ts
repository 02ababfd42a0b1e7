import { openApiDocument } from '@usher/contract/openapi'
import type { Command } from 'commander'
import { version } from '../../version.js'
import { readConfig } from '../io/with-store.js'

export const addOpenApiCommand = (program: Command) =>
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--json', 'print the document on one line')
    .action((options: { json?: boolean }) => {
      const document = openApiDocument(readConfig().baseUrl, version)
      process.stdout.write(`${JSON.stringify(document, null, options.json ? 0 : 2)}\n`)
    })
