/** Colors with a contrast of 4.5:1 for text and 3:1 for borders (WCAG 2.2, 1.4.3 and 1.4.11), on white and on dark. */
export const themeStyles = `
.swagger-ui .info .title small, .swagger-ui .download-contents { background: #5b616d; }
.swagger-ui .info .title small.version-stamp { background: #4a6b00; }
.swagger-ui .info .url, .swagger-ui .info a, .swagger-ui a.link { color: #1f5fae; }
.swagger-ui .btn.authorize { border-color: #12703f; color: #12703f; }
.swagger-ui .btn.authorize svg { fill: #12703f; }
.swagger-ui .btn.cancel { border-color: #b4122f; color: #b4122f; }
.swagger-ui .btn.execute { border-color: #1f5fae; background: #1f5fae; }
.swagger-ui .opblock.opblock-post { border-color: #12703f; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #12703f; }
.swagger-ui .opblock.opblock-get { border-color: #1f5fae; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fae; }
.swagger-ui .opblock.opblock-patch { border-color: #0e6b70; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0e6b70; }
.swagger-ui .opblock.opblock-put { border-color: #8a5200; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200; }
.swagger-ui .opblock.opblock-delete { border-color: #b4122f; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b4122f; }
.swagger-ui :is(input[type], textarea) { border-color: #767b87; }
.swagger-ui .parameter__in { color: #565b66; }
.swagger-ui .microlight span[style*='211, 99, 99'] { color: #ff9b9b !important; }
.swagger-ui :is(.json-schema-2020-12-expand-deep-button, .json-schema-2020-12 p) { color: #3b4151; }
.swagger-ui .json-schema-2020-12__constraint--string { background: #7a5200; color: #fff; }

.dark-mode .swagger-ui :is(.info .url, .info a, a.link) { color: #82b4f0; }
.dark-mode .swagger-ui .btn.authorize { border-color: #5fd6a0; color: #5fd6a0; }
.dark-mode .swagger-ui .btn.authorize svg { fill: #5fd6a0; }
.dark-mode .swagger-ui .opblock .opblock-section-header .btn.try-out__btn.cancel { border-color: #ff9b9b; color: #ff9b9b; }
.dark-mode .swagger-ui .opblock.opblock-post { border-color: #2f9e6b; }
.dark-mode .swagger-ui .opblock.opblock-get { border-color: #4f86d0; }
.dark-mode .swagger-ui .opblock.opblock-patch { border-color: #3aa6ac; }
.dark-mode .swagger-ui .opblock.opblock-put { border-color: #c98a2b; }
.dark-mode .swagger-ui .opblock.opblock-delete { border-color: #e5636f; }
.dark-mode .swagger-ui :is(input[type], textarea.body-param__text) { border-color: #8a9099; }
.dark-mode .swagger-ui td.header-col { color: #e4e6e6; }
.dark-mode .swagger-ui :is(.json-schema-2020-12-expand-deep-button, .json-schema-2020-12 p) { color: #d0d3d6; }
`

/** Adds what Swagger UI lacks for screen readers, whenever it renders, and follows the color scheme of the system. */
export const themeScript = `{
const root = document.getElementById('swagger-ui')
const regions = { '.information-container': 'About', '.scheme-container': 'Server and authorization' }
const names = {
  ...regions,
  '#servers': 'Server',
  '.examples-select-element': 'Example',
  '.body-param__text': 'Request body',
  '.close-modal': 'Close dialog',
  '.json-schema-2020-12-accordion:not(:has(.json-schema-2020-12__title))': 'Schema',
}
const all = (selector) => root.querySelectorAll(selector)

function complete() {
  for (const selector in regions) for (const node of all(selector)) node.setAttribute('role', 'region')
  for (const selector in names) for (const node of all(selector)) node.setAttribute('aria-label', names[selector])
  // A link in a button, a table that is a region, and names that differ from the visible text.
  for (const link of all('.opblock-summary-control a[href]')) link.removeAttribute('href')
  for (const table of all('table[role=region]')) table.removeAttribute('role')
  for (const button of all('.modal-btn[aria-label]')) button.removeAttribute('aria-label')
  let level = 0
  for (const heading of all('h1, h2, h3, h4, h5, h6')) {
    level = Math.min(Number(heading.localName[1]), level + 1)
    heading.setAttribute('aria-level', level)
  }
}
new MutationObserver(complete).observe(root, { childList: true, subtree: true })
complete()

const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', applyScheme)
applyScheme()
}
`
