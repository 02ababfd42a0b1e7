import type { Host, TypedCommand } from '../io/host.js'
import type { Question } from '../running-server/messages.js'
import { runThrough, startOf } from '../running-server/run-through.js'
import { answerAboutFiles } from './client-files.js'
import { connectTo } from './connect.js'
import { otherVersion } from './other-version.js'
import type { RemoteSession } from './session.js'

/**
 * Runs a command on a server of another machine, as the operator of a session.
 *
 * @returns the exit code
 * @throws {Problem} if the server cannot be reached, does not run the command, or is of another version
 */
export async function runRemotely(
  session: RemoteSession,
  { command, args }: { command: TypedCommand; args: readonly string[] },
  host: Host,
): Promise<number> {
  const connection = await connectTo(session)
  const answerFile = answerAboutFiles(host.files, command)
  const answer = async (question: Question) =>
    'confirm' in question ? session.confirm() : answerFile(question)
  const adviceOn = (other: string) => `The server ${otherVersion(other)}`
  return runThrough({ connection, adviceOn, answer }, startOf(args, host), host)
}
