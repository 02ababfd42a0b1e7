// Tries the served API with third-party tools, as far as this machine has them, and prints what each one found.
// docs/third-party-tools.md says how to get them and what they found last.
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { env } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { isemail, jsonTestSuite } from './published-suites.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'openapi-generator': { type: 'string' },
    'json-test-suite': { type: 'string' },
    isemail: { type: 'string' },
    'max-examples': { type: 'string', default: '100' },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'usher-third-party-'))
const print = (text) => process.stdout.write(`${text}\n`)

/** Runs a command. Returns its exit code and output, or undefined if the machine does not have it. */
const run = (command, args, options = {}) =>
  promisify(execFile)(command, args, { maxBuffer: 1e9, cwd: folder, ...options }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error) =>
      error.code === 'ENOENT' ? undefined : { code: error.code, output: error.stdout + error.stderr },
  )

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a server with an empty store and returns its URL. */
async function startServer() {
  const port = await freePort()
  const settings = { ...env, PORT: String(port), DATA_DIR: join(folder, 'store'), LOG_LEVEL: 'warn' }
  const options = { env: settings, stdio: 'ignore' }
  const child = spawn(process.execPath, ['server/bin/usher.js', 'serve'], options)
  const url = `http://localhost:${port}`
  for (let seconds = 0; seconds < 120; seconds += 1) {
    if ((await fetch(`${url}/readyz`).catch(() => undefined))?.ok) return { url, child }
    await sleep(1000)
  }
  child.kill()
  throw new Error('the server did not start')
}

/** Returns number and bytes of all files in a folder whose name ends so. */
async function sizeOf(path, ending) {
  const names = await readdir(path, { recursive: true })
  const found = names.filter((name) => name.endsWith(ending))
  const texts = await Promise.all(found.map((name) => readFile(join(path, name))))
  return { files: found.length, bytes: texts.reduce((sum, { length }) => sum + length, 0), found }
}

async function schemathesis({ url }) {
  const args = [
    'run',
    `${url}/openapi.json`,
    '--checks',
    'all',
    '--max-examples',
    values['max-examples'],
    '--no-color',
  ]
  const result = await run('schemathesis', [...args, '--seed', '1'])
  return result && `exit code ${result.code}\n${result.output.slice(-6000)}`
}

const documents = {
  'openapi.json': 'openapi.json',
  'openapi-3.0.json': 'openapi-3.0.json',
  'management-openapi.json': 'management/openapi.json',
  'management-openapi-3.0.json': 'management/openapi-3.0.json',
}

/** Returns a tool that generates a client of each document. `generate` gets the name of a document and a folder. */
const onBothDocuments = (version, generate) => async () => {
  const lines = []
  for (const document of [`openapi${version}.json`, `management-openapi${version}.json`]) {
    const result = await generate(document, join(folder, `${generate.name}-${document}`))
    if (result === undefined) return
    lines.push(`${document}: ${result}`)
  }
  return lines.join('\n')
}

/** Compiles a Go client. Returns what the first failed step prints. */
async function goVet(cwd) {
  for (const step of [
    ['mod', 'tidy'],
    ['vet', '.'],
  ]) {
    const done = await run('go', step, { cwd })
    if (done?.code !== 0) return `go ${step.join(' ')}: ${done?.output.slice(-2000) ?? 'no go'}`
  }
  return 'go vet passes'
}

async function openapiGenerator(document, out) {
  const jar = values['openapi-generator']
  if (!jar) return
  const endings = { python: '.py', java: '.java', rust: '.rs', csharp: '.cs', go: '.go' }
  const lines = ['']
  for (const [language, ending] of Object.entries(endings)) {
    const target = join(out, language)
    const result = await run('java', ['-jar', jar, 'generate', '-g', language, '-i', document, '-o', target])
    if (!result) return
    if (result.code) lines.push(`${language}: exit code ${result.code}\n${result.output.slice(-1000)}`)
    else {
      const { bytes, found } = await sizeOf(target, ending)
      const problems = found.filter(
        (name) => /problem|[1-5]\d\d_?response/i.test(basename(name)) && !/test/i.test(name),
      )
      const names = problems.map((name) => basename(name)).join(', ')
      const compiled = language === 'go' ? `, ${await goVet(target)}` : ''
      lines.push(`${language}: ${bytes} bytes, problem classes: ${names}${compiled}`)
    }
  }
  return lines.join('\n')
}

async function oapiCodegen(document, out) {
  const result = await run('oapi-codegen', ['-generate', 'types,client', '-package', 'usher', document])
  if (!result) return
  if (result.code) return `exit code ${result.code}\n${result.output}`
  await mkdir(out)
  await writeFile(join(out, 'client.go'), result.output)
  await run('go', ['mod', 'init', 'usher'], { cwd: out })
  return `${result.output.length} bytes, ${await goVet(out)}`
}

async function progenitor(document, out) {
  const args = ['progenitor', '-i', document, '-o', out, '-n', 'usher-client', '-v', '0.1.0']
  const result = await run('cargo', args)
  if (!result || /no such command/.test(result.output)) return
  if (result.code) return `exit code ${result.code}\n${result.output.slice(-2000)}`
  const { bytes } = await sizeOf(join(out, 'src'), '.rs')
  const check = await run('cargo', ['check', '--quiet'], { cwd: out })
  return `${bytes} bytes, cargo check: ${check?.code === 0 ? 'passes' : check?.output.slice(-2000)}`
}

async function openapiPythonClient(document, out) {
  const result = await run('openapi-python-client', ['generate', '--path', document, '--output-path', out])
  if (!result) return
  const { bytes } = await sizeOf(out, '.py')
  return `exit code ${result.code}, ${bytes} bytes\n${result.output.trim().slice(-2000)}`
}

/** Returns a function that sends a published suite if the option names its file or folder. */
const withFile = (option, send) => (server) => values[option] && send(server, values[option])

const tools = {
  schemathesis,
  openapiGenerator: onBothDocuments('', openapiGenerator),
  oapiCodegen: onBothDocuments('-3.0', oapiCodegen),
  progenitor: onBothDocuments('-3.0', progenitor),
  openapiPythonClient: onBothDocuments('', openapiPythonClient),
  jsonTestSuite: withFile('json-test-suite', jsonTestSuite),
  isemail: withFile('isemail', isemail),
}
const unknown = positionals.filter((name) => !(name in tools))
if (unknown.length > 0) throw new Error(`unknown tool ${unknown}. Known: ${Object.keys(tools).join(', ')}`)

const server = await startServer()
try {
  for (const [name, path] of Object.entries(documents)) {
    const response = await fetch(`${server.url}/${path}`)
    await writeFile(join(folder, name), await response.text())
  }
  for (const [name, tool] of Object.entries(tools)) {
    if (positionals.length === 0 || positionals.includes(name))
      print(`## ${name}\n${(await tool(server)) ?? 'not on this machine'}\n`)
  }
} finally {
  const ended = new Promise((resolve) => server.child.once('exit', resolve))
  server.child.kill()
  await ended
  await rm(folder, { recursive: true })
}
