import type { ComponentChildren } from 'preact'
import { Copy } from './copy.js'
import { Cancel, Dialog } from './dialog.js'

/** A text with a button that copies it. */
export function ToCopy({ value, more }: { value: string; more?: ComponentChildren }) {
  return (
    <>
      <p class="secret">
        <code>{value}</code>
      </p>
      <div class="row">
        <Copy value={value} isMain />
        {more}
      </div>
    </>
  )
}

interface SecretProps {
  title: string
  value: string
  /** What else to know, such as when it expires. */
  more?: string
  onClose(): void
}

/** Shows a secret that nothing shows again. */
export const Secret = ({ title, value, more, onClose }: SecretProps) => (
  <Dialog title={title} onClose={onClose} isKept>
    {(close) => (
      <>
        <p>Store it now. Nothing shows it again. {more}</p>
        <ToCopy value={value} more={<Cancel close={close} text="I have stored it" />} />
      </>
    )}
  </Dialog>
)
