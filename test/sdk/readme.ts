import { readFile } from 'node:fs/promises'

export async function readmeSnippets() {
  const text = await readFile(new URL('../../sdk/README.md', import.meta.url), 'utf8')
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
