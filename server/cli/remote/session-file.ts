import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { tryLock } from 'fs-native-extensions'
import { z } from 'zod'
import { Problem } from '../../domain/problem.js'

/** A session as it is stored. */
const StoredSession = z.object({
  /** The database of the operators. */
  workspace: z.string(),
  database: z.string(),
  email: z.string(),
  refreshToken: z.string(),
  token: z.string(),
  /** When the token is to be refreshed, in milliseconds since the epoch. */
  refreshAt: z.number(),
})
export type StoredSession = z.infer<typeof StoredSession>

/** The sessions of this user, by the origin of the server. */
const Sessions = z.record(z.string(), StoredSession)
export type Sessions = z.infer<typeof Sessions>

/** How long a command waits for another one. Longer than a request may take. */
const lockMilliseconds = 30_000

/** Returns where sessions are stored. */
function pathsIn({ XDG_CONFIG_HOME = '', APPDATA }: NodeJS.Dict<string>) {
  const configuration =
    process.platform === 'win32'
      ? (APPDATA ?? join(homedir(), 'AppData', 'Roaming'))
      : isAbsolute(XDG_CONFIG_HOME)
        ? XDG_CONFIG_HOME
        : join(homedir(), '.config')
  const folder = join(configuration, 'usher')
  return { folder, file: join(folder, 'sessions.json'), lock: join(folder, 'sessions.lock') }
}

// biome-ignore lint/style/noProcessEnv: the folder of the user, which is no setting of a server
const paths = () => pathsIn(process.env)

const unusable = (detail: string) => new Problem('sessions_unusable', { detail })

/**
 * Returns the sessions of this user.
 *
 * @throws {Problem} `sessions_unusable`, also if others could have read or changed the file
 */
export function readSessions(): Sessions {
  const { folder, file } = paths()
  requirePrivate(folder, 0o022)
  requirePrivate(file, 0o077)
  const { data } = Sessions.safeParse(readJson(file))
  if (!data) throw unusable(`${file} is damaged. Delete it, and log in again`)
  return data
}

/** @param others permissions that users other than the owner must not have */
function requirePrivate(path: string, others: number) {
  const found = statSync(path, { throwIfNoEntry: false })
  // Windows has no such permissions.
  if (!found || process.platform === 'win32') return
  if (found.uid !== process.getuid?.()) throw unusable(`${path} belongs to another user of this machine`)
  const mode = (found.mode & 0o777).toString(8)
  if ((found.mode & others) !== 0)
    throw unusable(
      `${path} has mode ${mode}. Other users of this machine can use it: delete it, and log in again`,
    )
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? {} : undefined
  }
}

/**
 * Runs what changes the sessions of this user. Only one command at a time does, because a refresh token can be used once.
 *
 * @param work gets the sessions, and a function that stores them
 * @throws {Problem} `sessions_unusable`
 */
export async function withSessions<Result>(
  work: (sessions: Sessions, store: (sessions: Sessions) => void) => Promise<Result>,
): Promise<Result> {
  const { folder, file, lock } = paths()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = await lockFile(lock)
  try {
    return await work(readSessions(), (sessions) => {
      const unfinished = `${file}.unfinished`
      writeFileSync(unfinished, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600, flush: true })
      renameSync(unfinished, file)
    })
  } finally {
    unlock()
  }
}

/** Locks a file, and returns a function that unlocks it. The system also does, when the process ends in whatever way. */
async function lockFile(file: string) {
  const handle = openSync(file, 'a', 0o600)
  const until = performance.now() + lockMilliseconds
  while (!tryLock(handle)) {
    if (performance.now() > until) {
      closeSync(handle)
      throw unusable(`another command has ${file} locked. End it, then run the command again`)
    }
    await setTimeout(20)
  }
  return () => closeSync(handle)
}
