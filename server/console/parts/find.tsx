import { Field, Form } from './form.js'

/** Finds by the start of a name. */
export function FindByName({ label, find }: { label: string; find(text: string): void }) {
  return (
    <search>
      <Form
        submit="Find"
        send={async ({ prefix = '' }) => {
          find(prefix.trim())
          return undefined
        }}
      >
        <Field name="prefix" label={label} type="search" isOptional />
      </Form>
    </search>
  )
}
