// Checks the documents in contract/ with Redocly's recommended rules, Spectral's oas rules and its OWASP rules, less the
// waivers in owasp-waivers.js, and that they are valid in OpenAPI 3.0. Fails on errors and warnings.
import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import { management30Document, openApi30Document } from '@usher/contract/openapi'
import { waivers } from './owasp-waivers.js'

const documents = {
  'contract/openapi.json': openApi30Document,
  'contract/management-openapi.json': management30Document,
}

// The committed document has the default address of the server, a served one its own.
const rules = { 'no-server-example.com': 'off' }
const config = await createConfig({ extends: ['recommended'], rules })
const config30 = await createConfig({ extends: ['spec'] })
const used = new Set()

/** Returns whether a finding is about the schema of a line, which before OpenAPI 3.2 only an extension can name. */
const isOfLine = ({ location: [{ pointer = '' } = {}] }) =>
  pointer === '#/components/schemas/UserLine' || pointer.includes('/x-item-schema/')

async function spectral(file, source, ruleset) {
  const linter = new spectralCore.Spectral()
  linter.setRuleset({ extends: [ruleset] })
  const findings = await linter.run(new spectralCore.Document(source, parsers.Json, file))
  return findings.map(({ code, message, path }) => ({ code, message, path: path.join('/') }))
}

/** Returns whether a finding has no waiver. Marks its waivers as used. */
function isUnwaived({ code, path }) {
  const found = waivers.filter(
    ({ rules, where }) => rules.includes(code.replace('owasp:', '')) && where.test(path),
  )
  for (const waiver of found) used.add(waiver)
  return found.length === 0
}

/** Returns the findings of a document, and prints how many there are. */
async function lint(file, document30) {
  const source = readFileSync(file, 'utf8')
  const source30 = JSON.stringify(document30('http://localhost:3000', JSON.parse(source).info.version))
  const redocly = [
    ...(await lintFromString({ source, absoluteRef: file, config })),
    ...(await lintFromString({ source: source30, absoluteRef: `3.0 of ${file}`, config: config30 })),
  ].filter((finding) => !isOfLine(finding))
  const oas = await spectral(file, source, [rulesets.oas, 'recommended'])
  const security = await spectral(file, source, [owasp, 'recommended'])
  const unwaived = security.filter(isUnwaived)
  const waived = security.length - unwaived.length
  process.stdout.write(
    `${file}: Redocly ${redocly.length}, Spectral ${oas.length}, OWASP ${unwaived.length} findings (${waived} waived)\n`,
  )
  return [
    ...redocly.map(
      ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''}: ${message}`,
    ),
    ...[...oas, ...unwaived].map(({ code, message, path }) => `spectral ${code} ${path}: ${message}`),
  ].map((message) => `${file}: ${message}`)
}

const messages = []
for (const [file, document30] of Object.entries(documents)) messages.push(...(await lint(file, document30)))
for (const waiver of waivers)
  if (!used.has(waiver)) messages.push(`unused waiver ${waiver.where}: ${waiver.reason}`)
if (messages.length > 0) throw new Error(messages.join('\n'))
