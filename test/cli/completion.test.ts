import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startChild } from '../support/child.js'
import { runUsher } from '../support/command-line.js'

/** Programs that print the completions of "$2" by the script in the file "$1". */
const shells = {
  bash: `
    eval "$(cat "$1")"
    eval "COMP_WORDS=($2)"; [[ $2 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _usher
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Completion itself needs an interactive zsh: these functions stand in for the ones that list and filter.
  zsh: `
    compdef() { :; }
    _describe() { print -rl -- "\${(@)\${(@P)@[-1]}%%:*}"; }
    _files() { print -l -- *(N); }
    eval "$(cat "$1")"
    words=(\${(z)2}); [[ $2 == *' ' ]] && words+=('')
    CURRENT=\${#words}
    cd "\${1:h}"; _usher | grep -e "^$words[-1]"`,
  fish: `
    cd (path dirname $argv[1])
    source $argv[1]
    complete -C $argv[2] | string replace -r '\\t.*' ''`,
}

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

/** Runs a function with a folder that contains the script and an input file. */
async function withScript(shell: string, use: (script: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-completion-'))
  const { code, stdout, stderr } = await runUsher(['completion', shell], {})
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  await writeFile(join(folder, 'script'), stdout)
  await writeFile(join(folder, 'users.ndjson'), '')
  await use(join(folder, 'script')).finally(() => rm(folder, { recursive: true }))
}

describe.each(Object.entries(shells))('completion in %s', (shell, program) => {
  it.skipIf(!has(shell))(`${shell} completes commands, options and their values`, () =>
    withScript(shell, async (script) => {
      async function complete(line: string) {
        // Bash takes a socket as stdin for a remote shell, and would read .bashrc.
        const noStart = shell === 'bash' ? ['--norc'] : []
        const name = shell === 'fish' ? [] : [shell]
        const args = [...noStart, '-c', program, ...name, script, line]
        const { stdout, stderr } = await startChild(shell, args).ended
        expect(stderr).toBe('')
        return stdout.split('\n').filter(Boolean).sort()
      }
      expect(await complete('usher da')).toEqual(['database'])
      expect(await complete('usher database ')).toEqual(
        expect.arrayContaining(['create', 'prune-hashes', 'show']),
      )
      expect(await complete('usher database create acme/app --pass')).toEqual(['--password-policy'])
      expect(await complete('usher database create --password-policy n')).toEqual(['nist', 'none'])
      expect(await complete('usher user import acme/app --dry')).toEqual(['--dry-run'])
      expect(await complete('usher completion ')).toEqual(expect.arrayContaining(['bash', 'fish', 'zsh']))
      if (shell !== 'bash') {
        // Bash itself adds files if the script has no completion.
        expect(await complete('usher user import acme/app u')).toEqual(['users.ndjson'])
      }
    }),
  )
})

it.each(Object.keys(shells))('the script for %s has every command and option of --help', async (shell) => {
  const { stdout: script } = await runUsher(['completion', shell], {})
  const groups = (await runUsher(['--help'], {})).stdout.matchAll(/^ {2}([a-z]+) /gm)
  for (const [, group = ''] of groups) {
    if (group === 'help') continue
    const { stdout } = await runUsher([group, '--help'], {})
    for (const [, name = ''] of stdout.split('\nCommands:\n')[1]?.matchAll(/^ {2}([a-z-]+)/gm) ?? []) {
      if (name !== 'help') expect(script).toContain(`${group} ${name}'`)
    }
  }
  expect(script).toMatch(/network-failures-per-hour/)
})

it('usher completion rejects another shell', async () => {
  const { code, stderr } = await runUsher(['completion', 'tcsh'], {})
  expect(code).toBe(2)
  expect(stderr).toContain('Allowed choices are bash, zsh, fish.')
})
