import { Heading } from '../parts/text.js'
import { pathTo } from '../places.js'

export function Missing() {
  return (
    <>
      <Heading title="Page not found" />
      <p>
        The address is wrong, what it names was deleted, or you have no role in its workspace.{' '}
        <a href={pathTo()}>Workspaces</a>
      </p>
    </>
  )
}
