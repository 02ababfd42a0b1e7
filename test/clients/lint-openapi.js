// Checks contract/openapi.json with Redocly's recommended rules, Spectral's oas rules and its OWASP rules, less the
// waivers in owasp-waivers.js, and that the document in OpenAPI 3.0 is valid. Fails on errors and warnings.
import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { openApi30Document } from '@usher/contract/openapi'
import { waivers } from './owasp-waivers.js'

const file = 'contract/openapi.json'
const source = readFileSync(file, 'utf8')

// The committed document has the default address of the server, a served one its own.
const rules = { 'no-server-example.com': 'off' }
const config = await createConfig({ extends: ['recommended'], rules })
const redocly = await lintFromString({ source, absoluteRef: file, config })

const document30 = openApi30Document('http://localhost:3000', JSON.parse(source).info.version)
const redocly30 = await lintFromString({
  source: JSON.stringify(document30),
  absoluteRef: 'openapi-3.0.json',
  config: await createConfig({ extends: ['spec'] }),
})

async function spectral(ruleset) {
  const linter = new spectralCore.Spectral()
  linter.setRuleset({ extends: [ruleset] })
  const findings = await linter.run(new spectralCore.Document(source, parsers.Json, file))
  return findings.map(({ code, message, path }) => ({ code, message, path: path.join('/') }))
}

const oas = await spectral([rulesets.oas, 'recommended'])
const security = await spectral([owasp, 'recommended'])
const used = new Set()
const unwaived = security.filter(({ code, path }) => {
  const found = waivers.filter(
    ({ rules, where }) => rules.includes(code.replace('owasp:', '')) && where.test(path),
  )
  for (const waiver of found) used.add(waiver)
  return found.length === 0
})

const messages = [
  ...[...redocly, ...redocly30].map(
    ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
  ),
  ...[...oas, ...unwaived].map(({ code, message, path }) => `spectral ${code} ${path}: ${message}`),
  ...waivers
    .filter((waiver) => !used.has(waiver))
    .map(({ where, reason }) => `unused waiver ${where}: ${reason}`),
]
const waived = security.length - unwaived.length
process.stdout.write(
  `${file}: Redocly ${redocly.length + redocly30.length}, Spectral ${oas.length}, OWASP ${unwaived.length} findings (${waived} waived)\n`,
)
if (messages.length > 0) throw new Error(messages.join('\n'))
