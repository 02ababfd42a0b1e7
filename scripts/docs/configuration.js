import { z } from 'zod'
import { Environment, environmentGroups, secretVariables } from '../../server/dist/environment.js'
import { codes, table } from './markdown.js'

const { properties } = z.toJSONSchema(Environment, { unrepresentable: 'any' })

/** Variables whose default follows from others, or from the machine, say it in their text. */
const defaultOf = (name, text) =>
  properties[name].default === undefined || text.includes('Default:')
    ? ''
    : [properties[name].default].flat().join()

function valuesOf(name) {
  const { minimum, maximum, enum: values } = properties[name]
  if (values) return codes(values)
  return minimum === undefined ? '' : `${minimum} to ${maximum}`
}

const fileText = (name) =>
  `Path of a file with the value of \`${name}\`. Set a variable or its file, not both.`
const files = secretVariables.map((name) => [`${name}_FILE`, fileText(name)])

const rowOf = (name, { description }) => {
  const value = defaultOf(name, description)
  return [`\`${name}\``, value && `\`${value}\``, valuesOf(name), description]
}

/** The variables of docs/configuration.md, by group. */
export const configuration = [
  ...Object.entries(environmentGroups).map(([title, variables]) => [
    title,
    Object.entries(variables).map(([name, schema]) => rowOf(name, schema)),
  ]),
  ['Secrets in files', files.map(([name, text]) => [`\`${name}\``, '', '', text])],
]
  .map(([title, rows]) => `## ${title}\n\n${table(['variable', 'default', 'values', 'meaning'], rows)}`)
  .join('\n\n')

/** Returns a text as comments of at most 120 characters, without links. */
function comment(text) {
  const plain = text
    .replace(/\[([^\]]*)\]\(([^)#]*)[^)]*\)/g, (_link, words, file) => `${words} (docs/${file})`)
    .replaceAll('`', '')
  const lines = ['#']
  for (const word of plain.split(' '))
    if (`${lines.at(-1)} ${word}`.length > 120) lines.push(`# ${word}`)
    else lines.push(`${lines.pop()} ${word}`)
  return lines.join('\n')
}

const variables = [
  ...Object.values(environmentGroups)
    .flatMap(Object.entries)
    .map(([name, { description }]) => [name, description]),
  ...files,
]

/** The file .env.example. */
export const environmentExample = `${comment('All settings of Usher with their defaults. An empty value counts as unset. Usher reads a copy named .env, checks all settings at start-up, and lists those that are invalid. `npm run docs` writes this file.')}

${variables
  .map(([name, text]) => {
    const values = properties[name] ? valuesOf(name) : ''
    const value = properties[name] ? defaultOf(name, text) : ''
    return `${comment(values ? `${text} Values: ${values}.` : text)}\n${name}=${value}\n`
  })
  .join('\n')}`
