import { version } from '../../version.js'

/**
 * Continues a sentence about a server of another version. A server could send anything as its version,
 * also what a shell runs or the name of another package.
 */
export const otherVersion = (other: string) =>
  /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(other)
    ? `is Usher ${other}, and this command is ${version}. Run it with: npx @usher/server@${other}`
    : `is of an unknown version, and this command is ${version}.`
