/**
 * Returns a plugin that shows what Swagger UI cannot by its options: short paths, folded errors, and which token requests
 * send.
 *
 * @param page.prefix what most paths begin with
 * @param page.problems URL of the problem types
 */
export const pluginOf =
  (page) =>
  ({ React }) => {
    const { createElement, Fragment } = React
    const nothing = () => () => null
    const withNote = (Component, note) => (props) =>
      createElement(Fragment, null, note(createElement, props), createElement(Component, props))
    return {
      wrapComponents: {
        InfoContainer: nothing,
        ServersContainer: nothing,
        OperationSummaryPath: () => (props) => pathOf(createElement, props, page),
        liveResponse: (LiveResponse) => withNote(LiveResponse, storedToken),
        responses: (Responses) => (props) =>
          createElement(
            Fragment,
            null,
            createElement(Responses, { ...props, responses: props.responses.filterNot(isError) }),
            errorsOf(createElement, props.responses.filter(isError), page),
          ),
      },
    }
  }

/** Returns the path of an operation, without the prefix unless the operation is open. A line may break before a part. */
function pathOf(h, { operationProps }, { prefix }) {
  const path = operationProps.get('path')
  const isShort = path.startsWith(prefix) && !operationProps.get('isShown')
  const text = isShort ? `…${path.slice(prefix.length)}` : path
  const parts = text.split(/(?=\/)/).flatMap((part) => [h('wbr'), part])
  return h('span', { className: 'opblock-summary-path', 'data-path': path }, ...parts)
}

const isError = (_, status) => Number(status) >= 400

/** Returns the codes of all errors, folded. All errors have the same body. */
function errorsOf(h, responses, page) {
  const rows = responses
    .entrySeq()
    .map(([status, response]) =>
      h(
        'div',
        null,
        h('dt', null, status),
        ...response.get('x-problem-codes', []).map((code) => codeOf(h, code, page)),
      ),
    )
  return h('details', { className: 'errors' }, h('summary', null, 'Errors'), h('dl', null, ...rows))
}

const codeOf = (h, code, { problems }) => h('dd', null, h('a', { href: problems + code }, code))

/** Says that further requests send the token of a response, if it has one. */
function storedToken(h, { response }) {
  if (!hasToken(response.get('text'))) return null
  const text = 'Requests from this page now send the token of this response.'
  return h('p', { className: 'stored-token', role: 'status' }, text)
}

function hasToken(text) {
  try {
    return Boolean(JSON.parse(text).token.jwt)
  } catch {
    return false
  }
}
