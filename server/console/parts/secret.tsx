import { useState } from 'preact/hooks'
import { Cancel, Dialog } from './dialog.js'

/** Shows a secret that nothing shows again. */
export function Secret({ title, value, onClose }: { title: string; value: string; onClose(): void }) {
  const [text, setText] = useState('Copy')
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p>Store it now. Nothing shows it again.</p>
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
            <Cancel close={close} text="I have stored it" />
          </div>
        </>
      )}
    </Dialog>
  )
}
