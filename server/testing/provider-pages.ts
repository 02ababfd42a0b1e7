import type { TestPerson } from './provider-accounts.js'

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
`

interface PeoplePage {
  title: string
  people: readonly TestPerson[]
  /** Of the page. */
  url: URL
  cancelPath: string
}

/** Returns a page with a link for each person. */
export function peoplePage({ title, people, url, cancelPath }: PeoplePage) {
  const link = (text: string, { pathname, search }: Pick<URL, 'pathname' | 'search'>) =>
    `<a href="${escaped(pathname + search)}">${escaped(text)}</a>`
  const urlOf = ({ name }: TestPerson) => {
    const chosen = new URL(url)
    chosen.searchParams.set('login_hint', name)
    return chosen
  }
  const items = people.map(
    (person) => `<li>${link(person.name, urlOf(person))} ${escaped(person.email ?? '')}`,
  )
  const cancel = link('Cancel', { pathname: cancelPath, search: url.search })
  return page(`Log in with ${title}`, `<ul>\n${items.join('\n')}\n</ul>\n<p>${cancel}`)
}

/** Returns a page that posts the result of a login. */
export function postingPage(url: string, parameters: Record<string, string>) {
  const inputs = Object.entries(parameters).map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  )
  const form = `<form method="post" action="${escaped(url)}">${inputs.join('')}<button>Continue</button></form>`
  return page('Logged in', `${form}<script>document.forms[0].submit()</script>`)
}

export const rejectionPage = (problem: string) => page('Login is not valid', `<p>${escaped(problem)}`)
