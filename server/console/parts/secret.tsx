import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Cancel, Dialog } from './dialog.js'

/** A text with a button that copies it. */
export function ToCopy({ value, more }: { value: string; more?: ComponentChildren }) {
  const [text, setText] = useState('Copy')
  return (
    <>
      <p class="secret">
        <code>{value}</code>
      </p>
      <div class="row">
        <button
          type="button"
          class="main"
          onClick={() =>
            navigator.clipboard.writeText(value).then(
              () => setText('Copied'),
              () => setText('Select and copy it yourself'),
            )
          }
        >
          {text}
        </button>
        {more}
      </div>
    </>
  )
}

/** Shows a secret that nothing shows again. */
export const Secret = ({ title, value, onClose }: { title: string; value: string; onClose(): void }) => (
  <Dialog title={title} onClose={onClose}>
    {(close) => (
      <>
        <p>Store it now. Nothing shows it again.</p>
        <ToCopy value={value} more={<Cancel close={close} text="I have stored it" />} />
      </>
    )}
  </Dialog>
)
