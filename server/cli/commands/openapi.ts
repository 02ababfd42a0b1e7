import type { Command } from '@commander-js/extra-typings'
import { managementDocument, openApiDocument } from '@usher/contract/openapi'
import { version } from '../../version.js'
import type { Cli } from '../io/cli.js'
import { readConfig } from '../io/config.js'

export const configure = (command: Command, { host }: Cli) =>
  command
    .option('--management', 'print the document of the management API')
    .option('--json', 'print the document on one line')
    .action(({ management, json }) => {
      const documentOf = management ? managementDocument : openApiDocument
      const document = documentOf(readConfig().baseUrl, version)
      host.stdout.write(`${JSON.stringify(document, null, json ? 0 : 2)}\n`)
    })
