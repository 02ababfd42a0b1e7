import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'

/** A measured server with its child processes. */
export interface Measured {
  port: number
  /** Milliseconds from its start to its first response. */
  startMilliseconds: number
  /** CPU time of all its processes, in seconds. NaN except on Linux. */
  cpuSeconds(): Promise<number>
  /** Resident memory of all its processes, in MiB. NaN except on Linux. */
  memoryMebibytes(): Promise<number>
  stop(): Promise<void>
}

export interface Program {
  command: string
  args: readonly string[]
  env: Record<string, string>
  cwd?: string
}

/** Starts `node` and waits until it responds on the port. Discards its log. */
export const startServer = (port: number, args: readonly string[], env: Record<string, string> = {}) =>
  startProgram({ command: process.execPath, args, env }, port, '/healthz')

/** Starts a program and waits until it responds on the port, to a request for this path. Discards its log. */
export async function startProgram(program: Program, port: number, path: string): Promise<Measured> {
  const { command, args, ...options } = program
  const start = performance.now()
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  while (!(await responds(port, path))) {
    if (child.exitCode !== null) throw new Error(`${command} ${args.join(' ')} ended with ${child.exitCode}`)
    if (performance.now() - start > patienceMilliseconds) {
      child.kill()
      throw new Error(`${command} ${args.join(' ')} does not serve ${path} on port ${port}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const startMilliseconds = performance.now() - start
  return {
    port,
    startMilliseconds,
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    memoryMebibytes: () => sumOf(child.pid ?? 0, memoryMebibytesOf),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** For how long a program may start. */
const patienceMilliseconds = 60_000

const responds = (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status < 500,
    () => false,
  )

/** Returns the CPU time of a process and all its descendants, in seconds. NaN except on Linux. */
export const cpuSeconds = (pid: number) => sumOf(pid, cpuSecondsOf)

async function sumOf(pid: number, read: (pid: number) => Promise<number>) {
  const values = await Promise.all((await familyOf(pid)).map(read))
  return values.reduce((total, value) => total + value, 0)
}

/** Returns the ids of a process and all its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => ''))
  const children = (await Promise.all(lists)).join(' ').split(/\s+/).filter(Boolean).map(Number)
  return [pid, ...(await Promise.all(children.map(familyOf))).flat()]
}

/** Reads user and system time, in hundredths of a second after the name in parentheses (proc_pid_stat(5)). */
async function cpuSecondsOf(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function memoryMebibytesOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
