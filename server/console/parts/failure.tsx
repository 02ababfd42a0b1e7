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
  const { title, detail, errors } = problem
  const advice = adviceFor(problem)
  // The detail of the server may repeat the title or the errors.
  const isRepeated = detail === `${title}.` || errors.length > 0
  return (
    <div class="failure" role="alert">
      <strong>{title}</strong>
      {detail && !isRepeated && <p>{detail}</p>}
      {errors.length > 0 && (
        <ul>
          {errors.map(({ path, detail }) => (
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
