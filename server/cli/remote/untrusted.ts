import { Problem } from '../../domain/problem.js'

/** Returns the problem of a server that asks for what no server of Usher needs. */
export const untrusted = (detail: string) => new Problem('server_untrusted', { detail })
