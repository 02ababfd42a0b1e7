import { render } from 'preact'
import { App } from './app.js'
import { followLinks } from './navigation.js'

followLinks()
render(<App />, document.body)
