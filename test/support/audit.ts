import type { TestApi } from './app.js'

/** Returns the audit records that a server has logged since `forgetLog`, with their fields. */
export const auditRecords = ({ logged }: Pick<TestApi, 'logged'>): Record<string, unknown>[] =>
  logged()
    .split('\n')
    .filter((line) => line.includes('"audit"'))
    .map((line) => JSON.parse(line))
