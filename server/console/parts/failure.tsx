import type { ComponentChildren } from 'preact'
import { adviceFor, type Problem } from '../problems.js'

/** Shows a problem: its title, what to do, and the ID for the log of the server. */
export function Failure({
  problem,
  children,
}: {
  problem: Problem | undefined
  children?: ComponentChildren
}) {
  if (!problem) return null
  const advice = adviceFor(problem)
  return (
    <div class="failure" role="alert">
      <strong>{problem.title}</strong>
      {problem.detail && <p>{problem.detail}</p>}
      {problem.errors.length > 0 && (
        <ul>
          {problem.errors.map(({ path, detail }) => (
            <li key={path}>
              <code>{path || 'body'}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      {advice && <p>{advice}</p>}
      {problem.requestId && (
        <p>
          Request ID <code>{problem.requestId}</code>
        </p>
      )}
      {children}
    </div>
  )
}
