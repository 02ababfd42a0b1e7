import { startApp } from './app.js'
import { it as providerTest } from './returned-login.js'

/** `it` with two servers on one store, one of whose clocks is ahead. */
export const it = providerTest.extend(
  'servers',
  async ({ usher, store, settings, provider: _ }, { onCleanup }) => {
    const ahead = await startApp(store, settings)
    onCleanup(ahead.close)
    ahead.clock.now = usher.clock.now + 20_000
    return [usher, ahead]
  },
)
