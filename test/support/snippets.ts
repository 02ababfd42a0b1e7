import { readFile } from 'node:fs/promises'

/** Returns the code blocks of a document, by the heading above them. */
export async function snippetsOf(file: string) {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const sections = text.split(/^## /m).slice(1)
  return sections.flatMap((section) => {
    const heading = section.split('\n', 1)[0] ?? ''
    return [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({
      heading,
      language,
      code,
    }))
  })
}
