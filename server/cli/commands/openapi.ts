import type { Command } from '@commander-js/extra-typings'
import { openApiDocument } from '@usher/contract/openapi'
import { version } from '../../version.js'
import { readConfig } from '../io/with-store.js'

export const configure = (command: Command) =>
  command.option('--json', 'print the document on one line').action((options) => {
    const document = openApiDocument(readConfig().baseUrl, version)
    process.stdout.write(`${JSON.stringify(document, null, options.json ? 0 : 2)}\n`)
  })
