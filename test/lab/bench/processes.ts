import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'

/** A server that is measured, and the processes that it started. */
export interface Measured {
  port: number
  /** Milliseconds from its start to its first answer. */
  startMilliseconds: number
  /** CPU time of all its processes so far, in seconds; Linux only, else NaN. */
  cpuSeconds(): Promise<number>
  /** Resident memory of all its processes now, in MiB; Linux only, else NaN. */
  memoryMebibytes(): Promise<number>
  stop(): Promise<void>
}

/** Starts `node` with the arguments and waits until it answers on the port. Its log is written to nowhere. */
export async function startServer(
  port: number,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Measured> {
  const start = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = once(child, 'exit')
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const startMilliseconds = performance.now() - start
  const sum = async (read: (pid: number) => Promise<number>) => {
    const values = await Promise.all((await familyOf(child.pid ?? 0)).map(read))
    return values.reduce((total, value) => total + value, 0)
  }
  return {
    port,
    startMilliseconds,
    cpuSeconds: () => sum(cpuSecondsOf),
    memoryMebibytes: () => sum(memoryMebibytesOf),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

const answers = (port: number) => fetch(`http://127.0.0.1:${port}/healthz`).then(Boolean, () => false)

/** A process and its children. */
async function familyOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => ''))
  const children = (await Promise.all(lists)).join(' ').split(/\s+/).filter(Boolean).map(Number)
  return [pid, ...(await Promise.all(children.map(familyOf))).flat()]
}

/** proc_pid_stat(5): user and system time in hundredths of a second, after the name in brackets. */
async function cpuSecondsOf(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function memoryMebibytesOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
