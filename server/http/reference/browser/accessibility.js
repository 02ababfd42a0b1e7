const names = {
  '.body-param__text': 'Request body',
  '.close-modal': 'Close dialog',
  '.examples-select-element': 'Example',
  '.scheme-container': 'Authorization',
  '.json-schema-2020-12-accordion:not(:has(.json-schema-2020-12__title))': 'Schema',
}

/** Adds what Swagger UI lacks for screen readers and keyboards, whenever it renders. */
export function completeNames(root) {
  const all = (selector) => root.querySelectorAll(selector)
  function complete() {
    for (const node of all('.scheme-container')) node.setAttribute('role', 'region')
    for (const selector in names)
      for (const node of all(selector)) node.setAttribute('aria-label', names[selector])
    for (const dialog of all('.modal-ux')) {
      dialog.setAttribute('role', 'dialog')
      dialog.setAttribute('aria-label', 'Authorize')
    }
    // A table that is a region, a name that differs from the visible text, and text that only a mouse can scroll.
    for (const table of all('table[role=region]')) table.removeAttribute('role')
    for (const button of all('.modal-btn[aria-label]')) button.removeAttribute('aria-label')
    for (const code of all('pre.microlight')) code.tabIndex = 0
    let level = 1
    for (const heading of all('h2, h3, h4, h5, h6')) {
      level = Math.min(Number(heading.localName[1]), level + 1)
      heading.setAttribute('aria-level', level)
    }
  }
  new MutationObserver(complete).observe(root, { childList: true, subtree: true })
}
