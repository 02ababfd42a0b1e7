// Checks contract/openapi.json with Redocly's recommended rules and Spectral's oas rules. Fails on errors and warnings.
import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'

const file = 'contract/openapi.json'
const source = readFileSync(file, 'utf8')

// The committed document has the default address of the server, a served one its own.
const rules = { 'no-server-example.com': 'off' }
const config = await createConfig({ extends: ['recommended'], rules })
const redocly = await lintFromString({ source, absoluteRef: file, config })

const spectral = new spectralCore.Spectral()
spectral.setRuleset({ extends: [[rulesets.oas, 'recommended']] })
const findings = await spectral.run(new spectralCore.Document(source, parsers.Json, file))

const messages = [
  ...redocly.map(
    ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
  ),
  ...findings.map(({ code, message, path }) => `spectral ${code} ${path.join('/')}: ${message}`),
]
process.stdout.write(`${file}: Redocly ${redocly.length}, Spectral ${findings.length} findings\n`)
if (messages.length > 0) throw new Error(messages.join('\n'))
