import { render } from 'preact'
import { App } from './app.js'
import { followLinks } from './navigation.js'
import { load } from './parts/lazy.js'
import { placeOf } from './places.js'

followLinks()
// While the session is refreshed. A failure shows when the screen is.
load(placeOf(location.pathname).screen).catch(() => undefined)
render(<App />, document.body)
