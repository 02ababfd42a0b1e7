/** Returns a table in Markdown. */
export const table = (headings, rows) =>
  [headings, headings.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

/** Returns texts as code, in a row. */
export const codes = (texts) => texts.map((text) => `\`${text}\``).join(', ')

/** Returns a text that begins with a capital letter and ends with a full stop. */
export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!]$/.test(text) ? '' : '.'}`
