import type { BegunStepUp, Client, UsherError } from '@usher/sdk'
import { createPasskeys } from '@usher/sdk/passkeys'
import { useEffect, useState } from 'preact/hooks'
import { connect } from '../api.js'
import type { OperationName } from '../operations.js'
import type { Problem } from '../problems.js'
import { Cancel, Dialog } from './dialog.js'
import { Failure } from './failure.js'
import { Field, Form } from './form.js'
import { Phrase } from './phrase.js'

interface Question extends BegunStepUp {
  /** The operation that needs it. */
  name: OperationName
  settle(confirmation?: string): void
}

const problemOf = ({ code, title, detail, requestId, errors }: UsherError<string>): Problem => ({
  code,
  title,
  detail,
  requestId,
  errors,
})

/** Asks for the second factor when an operation needs a confirmation. */
export function StepUp({ client }: { client: Client }) {
  const [question, setQuestion] = useState<Question>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    const confirm = async (name: OperationName) => {
      const { data } = await client.beginStepUp()
      if (!data) return undefined
      return new Promise<string | undefined>((settle) =>
        setQuestion((former) => {
          former?.settle()
          return { ...data, name, settle }
        }),
      )
    }
    connect({ confirm })
  }, [client])
  if (!question) return null

  const end = (confirmation?: string) => {
    question.settle(confirmation)
    setProblem(undefined)
    setQuestion(undefined)
  }
  async function prove(proof: Parameters<Client['stepUp']>[0]) {
    const { data, error } = await client.stepUp(proof)
    if (data) end(data.confirmation.value)
    return error && problemOf(error)
  }
  async function usePasskey(options: NonNullable<BegunStepUp['options']>) {
    const proof = await createPasskeys(client).prove(options)
    if (!proof) return
    setProblem(await prove(proof))
    // A passkey answers a challenge once.
    const { data } = await client.beginStepUp()
    if (data) setQuestion((current) => current && { ...current, ...data })
  }
  const { methods, options } = question
  const code = methods.find((each) => each !== 'passkey')

  return (
    <Dialog title="Confirm that it is you" onClose={() => end()}>
      {(close) => (
        <>
          <p>
            Your change is recorded as: <Phrase of={{ action: question.name }} />.
          </p>
          <Failure problem={problem} />
          {options && (
            <button type="button" class="main" onClick={() => usePasskey(options)}>
              Use a passkey
            </button>
          )}
          {code ? (
            <Form
              submit="Confirm"
              more={<Cancel close={close} />}
              send={({ proof = '' }) =>
                prove(/\p{L}/u.test(proof) ? { recoveryCode: proof } : { totp: proof })
              }
            >
              <Field
                name="proof"
                label="Code"
                hint="Six digits of your authenticator app, or a recovery code."
                autocomplete="one-time-code"
              />
            </Form>
          ) : (
            <Cancel close={close} />
          )}
        </>
      )}
    </Dialog>
  )
}
