import { expect, it } from 'vitest'
import { startupBanner } from '../../server/process/startup-banner.js'

const address = 'http://localhost:3000'
const path = { workspaceSlug: 'demo', databaseName: 'app' }

it('the startup banner names the API reference and the command of the example', () => {
  expect(startupBanner({ baseUrl: address, docs: true }, path)).toMatch(
    /^\nUsher is listening on http:\/\/localhost:3000\.\n\nAPI reference {2}http:\/\/localhost:3000\/docs\nExample app {4}npm run example \(/,
  )
})

it('the startup banner does not name the API reference if DOCS is off', () => {
  expect(startupBanner({ baseUrl: address, docs: false }, path)).toMatch(/3000\.\n\nExample app /)
})

it('the startup banner names the settings that the example needs for another address or database', () => {
  const other = { workspaceSlug: 'acme', databaseName: 'live' }
  expect(startupBanner({ baseUrl: 'https://id.example.com', docs: true }, other)).toContain(
    '\nExample app    VITE_USHER_URL=https://id.example.com VITE_USHER_WORKSPACE=acme VITE_USHER_DATABASE=live npm run example (',
  )
})
