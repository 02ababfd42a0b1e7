// Sends published test suites to a server, for scripts/third-party-tools.js.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const post = (url, body) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

/** Sends each file of https://github.com/nst/JSONTestSuite as a login, and returns the scores. */
export async function jsonTestSuite({ url }, suite) {
  const login = `${url}/workspaces/demo/databases/app/users/login`
  const tests = join(suite, 'test_parsing')
  const counts = {}
  const wrong = []
  for (const name of await readdir(tests)) {
    const response = await post(login, await readFile(join(tests, name)))
    const { code } = await response.json()
    const kind = name[0]
    const isRight = kind === 'i' ? response.status < 500 : (code === 'malformed_json') === (kind === 'n')
    counts[kind] ??= [0, 0]
    counts[kind][isRight ? 0 : 1] += 1
    if (!isRight) wrong.push(`${name}: ${response.status} ${code}`)
  }
  const scores = Object.entries(counts).map(
    ([kind, [right, others]]) => `${kind}: ${right} of ${right + others}`,
  )
  return [scores.join(', '), ...wrong].join('\n')
}

/**
 * Signs up with each address of https://github.com/dominicsayers/isemail, and returns the scores.
 *
 * @param file its tests.xml
 */
export async function isemail({ url }, file) {
  const users = `${url}/workspaces/demo/databases/app/users`
  const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  const decode = (text) =>
    text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) =>
      name ? entities[name] : String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
    )
  const accepted = {}
  const different = []
  for (const [, test] of (await readFile(file, 'utf8')).matchAll(/<test [^>]*>(.*?)<\/test>/gs)) {
    const [, address = ''] = test.match(/<address>(.*?)<\/address>/s) ?? []
    const [, category = ''] = test.match(/<category>ISEMAIL_(.*?)<\/category>/) ?? []
    // The suite writes control characters as those of U+2400.
    const email = decode(address).replace(/[\u2400-\u241f]/g, (sign) =>
      String.fromCharCode(sign.charCodeAt(0) - 0x2400),
    )
    const body = JSON.stringify({ email, password: 'correct horse battery' })
    const { status } = await post(users, body)
    const isAccepted = status === 201 || status === 409
    accepted[category] ??= [0, 0]
    accepted[category][isAccepted ? 0 : 1] += 1
    if (isAccepted !== /^(VALID|DNSWARN)/.test(category))
      different.push(`${category} ${status} ${JSON.stringify(email)}`)
  }
  const scores = Object.entries(accepted).map(
    ([name, [yes, no]]) => `${name}: ${yes} of ${yes + no} accepted`,
  )
  return [...scores, ...different].join('\n')
}
