/** What can follow certain words of a command line. */
export interface Place {
  /** The words after `usher`: a command and its subcommand. Empty at the start. */
  words: string
  /** Whether a subcommand must follow. */
  isGroup: boolean
  /** Whether an argument or the value of an option is a file. */
  takesFile: boolean
  /** Subcommands, or the values of an argument. */
  names: { name: string; description: string }[]
  options: { names: string[]; description: string; choices: readonly string[]; takesValue: boolean }[]
}

/** Returns a script that completes commands, options and their values in bash 3.2 and later. */
export const bashScript = (
  places: readonly Place[],
) => `# Completion of usher for bash: eval "$(usher completion bash)"
_usher() {
  local words='' before=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  case "\${before[*]:0:2}" in
${places.map((place) => `    ${patternOf(place)}) words='${wordsOf(place).join(' ')}' ;;`).join('\n')}
  esac
  case "\${before[*]:0:2} \${COMP_WORDS[COMP_CWORD-1]}" in
${valuesOf(places)
  .map(({ pattern, choices }) => `    ${pattern}) words='${choices.join(' ')}' ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _usher usher
`

/** Returns a script that completes in zsh, with descriptions. It works with eval and as a file in fpath. */
export const zshScript = (places: readonly Place[]) => `#compdef usher
# Completion of usher for zsh: eval "$(usher completion zsh)"
_usher() {
  local -a before=("\${(@)words[2,CURRENT-1]}") names=() flags=()
  case "\${(j: :)before[1,2]}" in
${places
  .map((place) => {
    const flags = place.options.flatMap((option) => option.names.map((name) => ({ ...option, name })))
    return `    ${patternOf(place)})
      names=(${place.names.map(described).join(' ')})
      flags=(${flags.map(described).join(' ')})
      ;;`
  })
  .join('\n')}
  esac
  case "\${(j: :)before[1,2]} \${words[CURRENT-1]}" in
${valuesOf(places)
  .map(({ pattern, choices }) => `    ${pattern}) names=(${choices.join(' ')}) flags=() ;;`)
  .join('\n')}
  esac
  _describe 'command' names
  _describe -o 'option' flags
  case "\${(j: :)before[1,2]}" in
    ${places
      .filter(({ takesFile }) => takesFile)
      .map(patternOf)
      .join('|')}) _files ;;
  esac
}
if [[ "\${funcstack[1]}" == _usher ]]; then _usher "$@"; else compdef _usher usher; fi
`

/** Returns a script that completes in fish 3.0 and later, with descriptions. */
export const fishScript = (
  places: readonly Place[],
) => `# Completion of usher for fish: usher completion fish | source
function __usher_at
  set -l words (commandline -opc)
  set -l before
  for word in $words[2..3]
    string match -q -- '-*' $word; or set -a before $word
  end
  test "$before" = "$argv"
end
complete -c usher -f
${places.flatMap(fishLines).join('\n')}
`

function fishLines({ words, takesFile, names, options }: Place) {
  const start = `complete -c usher -n '__usher_at ${words}'`
  return [
    ...names.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
    ...(takesFile ? [`${start} -F`] : []),
    ...options.map((option) => {
      const flags = option.names.map((name) => name.replace(/^--/, '-l ').replace(/^-(?=\w$)/, '-s '))
      const value = option.choices.length > 0 ? ` -x -a '${option.choices.join(' ')}'` : ' -r'
      return `${start} ${flags.join(' ')}${option.takesValue ? value : ''} -d ${quoted(option.description)}`
    }),
  ]
}

/** Returns a pattern for the first two words of a command line, in bash and zsh. */
const patternOf = ({ words, isGroup }: Place) =>
  isGroup || words.includes(' ') ? `'${words}'` : `'${words}'|'${words} '*`

const wordsOf = ({ names, options }: Place) => [
  ...names.map(({ name }) => name),
  ...options.flatMap((option) => option.names),
]

/** Returns the options that have choices, each as a pattern of its command and name. */
const valuesOf = (places: readonly Place[]) =>
  places.flatMap(({ words, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .flatMap(({ names, choices }) => names.map((name) => ({ pattern: `'${words} ${name}'`, choices }))),
  )

const described = ({ name, description }: { name: string; description: string }) =>
  `${quoted(description ? `${name}:${description}` : name)}`

/** Returns text in single quotes, for all three shells. */
const quoted = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`
