import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Result } from '../api.js'
import { Field, Form, type FormProps } from './form.js'

/** A modal dialog. The browser keeps the focus in it, and returns it afterwards. */
export function Dialog({
  title,
  isKept,
  isSheet,
  onClose,
  children,
}: {
  title: string
  /** Whether it takes the height of the page, at its side. */
  isSheet?: boolean
  /** Whether only its buttons close it, and not Escape. */
  isKept?: boolean
  onClose(): void
  children: (close: () => void) => ComponentChildren
}) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    // The event `close` comes late: by then its button, which has the focus again, may have opened the next one.
    <dialog
      ref={dialog}
      class={isSheet ? 'sheet' : undefined}
      aria-labelledby={id}
      closedby={isKept ? 'none' : undefined}
      onCancel={isKept ? undefined : onClose}
      // Browsers without `closedby` close it anyway.
      onClose={() => (isKept ? dialog.current?.showModal() : dialog.current && onClose())}
    >
      <h2 id={id}>{title}</h2>
      {children(onClose)}
    </dialog>
  )
}

/** The button of a dialog that does nothing. */
export const Cancel = ({ close, text = 'Cancel' }: { close(): void; text?: string }) => (
  <button type="button" onClick={close}>
    {text}
  </button>
)

/** A dialog with a form, whose `send` closes it when it is done. */
export const FormDialog = ({
  title,
  onClose,
  ...form
}: Omit<FormProps, 'more'> & { title: string; onClose(): void }) => (
  <Dialog title={title} onClose={onClose}>
    {(close) => <Form {...form} more={<Cancel close={close} />} />}
  </Dialog>
)

interface DangerProps {
  /** Text of the button that opens the dialog, and of the one that acts. */
  action: string
  /** What it acts on, for screen readers, such as the name of the row. */
  of?: string
  /** What follows. */
  consequences: readonly ComponentChildren[]
  /** What the operator has to type. */
  typed?: string
  run(): Promise<Result<unknown>>
  onDone(): void
}

/** A button of a dangerous change. Its dialog says what follows. */
export function Danger({ action, of, consequences, typed, run, onDone }: DangerProps) {
  const [isOpen, setOpen] = useState(false)
  const [isMistyped, setMistyped] = useState(false)
  return (
    <>
      <button type="button" class="danger" aria-label={of && `${action} ${of}`} onClick={() => setOpen(true)}>
        {action}
      </button>
      {isOpen && (
        <FormDialog
          title={action}
          onClose={() => setOpen(false)}
          submit={action}
          isDanger
          send={async (values) => {
            const isWrong = typed !== undefined && values.typed !== typed
            setMistyped(isWrong)
            if (isWrong) return undefined
            const { error } = await run()
            if (error) return error
            setOpen(false)
            onDone()
            return undefined
          }}
        >
          <ul>
            {consequences.map((each, index) => (
              <li key={String(index)}>{each}</li>
            ))}
          </ul>
          {typed !== undefined && (
            <Field
              name="typed"
              label="Type it to confirm"
              hint={
                <>
                  {isMistyped && <span class="error">That is not the same. </span>}
                  <bdi>{typed}</bdi>
                </>
              }
            />
          )}
        </FormDialog>
      )}
    </>
  )
}

/** Leaves a form without saving. After a conflict, `discard` shows what is stored now. */
export const Leave = ({ close, discard }: { close(): void; discard: (() => void) | undefined }) => (
  <>
    {discard && (
      <button
        type="button"
        onClick={() => {
          close()
          discard()
        }}
      >
        Discard mine
      </button>
    )}
    <Cancel close={close} />
  </>
)
