/**
 * Returns a plugin that shows what Swagger UI cannot by its options: short paths, and the codes of errors, which all have the
 * same body.
 *
 * @param page.prefix what most paths begin with
 * @param page.problems URL of the problem types
 */
export const pluginOf =
  ({ prefix, problems }) =>
  ({ React: { createElement: h } }) => {
    const errorsOf = (responses) =>
      responses
        .entrySeq()
        .map(([status, response]) => [
          h('dt', null, status),
          ...response
            .get('x-problem-codes', [])
            .map((code) => h('dd', null, h('a', { href: problems + code }, code))),
        ])
    return {
      wrapComponents: {
        OperationSummaryPath: () => (props) => {
          const path = props.operationProps.get('path')
          const text = path.startsWith(prefix) ? `…${path.slice(prefix.length)}` : path
          return h('span', { className: 'opblock-summary-path' }, text)
        },
        responses: (Responses) => (props) => [
          h(Responses, { ...props, responses: props.responses.filterNot(isError) }),
          h(
            'details',
            null,
            h('summary', null, 'Errors'),
            h('dl', null, errorsOf(props.responses.filter(isError))),
          ),
        ],
      },
    }
  }

const isError = (_, status) => Number(status) >= 400
