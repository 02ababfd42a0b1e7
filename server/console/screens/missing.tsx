import { Heading } from '../parts/text.js'
import { pathTo } from '../places.js'

export function Missing() {
  return (
    <>
      <Heading title="Page not found" />
      <p>
        No screen has this address. <a href={pathTo()}>Workspaces</a>
      </p>
    </>
  )
}
