// Renders the OpenAPI document of a page with Swagger UI.
import { completeNames } from './accessibility.js'
import { pluginOf } from './plugin.js'

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()

const reference = document.getElementById('reference')
completeNames(reference)
const { root, prefix, problems } = reference.dataset
const spec = await (await fetch('openapi.json')).json()
// The document names the public address of the service. Requests go to the address of this page.
spec.servers = [{ url: new URL(root, location.href).href.replace(/\/$/, '') }]
const ui = SwaggerUIBundle({
  spec,
  domNode: reference,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  layout: 'BaseLayout',
  syntaxHighlight: { theme: 'obsidian' },
  plugins: [pluginOf({ prefix, problems })],
  responseInterceptor(response) {
    const token = response.obj?.token?.jwt
    if (token) ui.preauthorizeApiKey('bearer', token)
    return response
  },
  tryItOutEnabled: true,
})
