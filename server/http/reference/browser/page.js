// Renders the OpenAPI document of the page with Swagger UI.
import { completeNames } from './accessibility.js'
import { plugin } from './plugin.js'

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()

const reference = document.getElementById('reference')
completeNames(reference)
const url = new URL(reference.dataset.document, location.href)
const spec = await (await fetch(url)).json()
// The document names the public address of the service. Requests go to the address of this page.
spec.servers = [{ url: new URL('.', url).href.replace(/\/$/, '') }]
const ui = SwaggerUIBundle({
  spec,
  domNode: reference,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  layout: 'BaseLayout',
  plugins: [plugin],
  responseInterceptor(response) {
    const token = response.obj?.token?.jwt
    if (token) ui.preauthorizeApiKey('bearer', token)
    return response
  },
  tryItOutEnabled: true,
})
