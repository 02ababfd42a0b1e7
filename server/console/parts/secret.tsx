import { Copy } from './copy.js'
import { Cancel, Dialog } from './dialog.js'

/** Shows a secret that nothing shows again. */
export function Secret({ title, value, onClose }: { title: string; value: string; onClose(): void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p>Store it now. Nothing shows it again.</p>
          <p class="secret">
            <code>{value}</code>
          </p>
          <div class="row">
            <Copy value={value} isMain />
            <Cancel close={close} text="I have stored it" />
          </div>
        </>
      )}
    </Dialog>
  )
}
