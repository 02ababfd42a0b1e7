import { useEffect, useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { passwordSet } from '../navigation.js'
import { Field, Form } from '../parts/form.js'
import { Heading } from '../parts/text.js'
import { pathTo } from '../places.js'

const codeOf = (hash: string) => /[#&]code=([^&]+)/.exec(hash)?.[1] ?? ''

/** Creates the first operator with the code of the link that the server has printed. */
export function Setup({ info }: { info: DataOf<'getConsole'> }) {
  const [code] = useState(() => codeOf(location.hash))
  // Histories and screenshots must not have the code.
  useEffect(() => history.replaceState(null, '', location.pathname), [])
  return (
    <main class="login">
      <p class="brand">Usher console</p>
      <div class="card">
        <Heading title="Create the first operator" />
        {info.hasOperators ? (
          <p>
            There is an operator already. <a href={pathTo()}>Log in</a>, or ask an owner to add you.
          </p>
        ) : code ? (
          <Form
            submit="Create the operator"
            send={async ({ email = '', password = '' }) => {
              const { error } = await call('createFirstOperator', { body: { code, email, password } })
              if (error) return error
              history.replaceState(passwordSet, '', pathTo())
              location.reload()
              return undefined
            }}
          >
            <p>You become owner of the installation. Your login then adds a second factor.</p>
            <Field name="email" label="Email" type="email" autocomplete="username" />
            <Field
              name="password"
              label="Password"
              type="password"
              autocomplete="new-password"
              hint="At least 8 characters."
            />
          </Form>
        ) : (
          <p>
            The link has no code. Copy the whole link that the server has printed at its start. A restart with{' '}
            <code>CONSOLE=on</code> prints another one.
          </p>
        )}
      </div>
    </main>
  )
}
