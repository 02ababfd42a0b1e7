import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { useConsole } from '../../context.js'
import { FormDialog } from '../../parts/dialog.js'
import { Check } from '../../parts/form.js'
import { announce } from '../../parts/status.js'

/** A button that publishes the next signing key. Its dialog says when the key signs. */
export function Rotate({ onDone }: { onDone(): void }) {
  const { at } = useConsole()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Rotate
      </button>
      {isOpen && (
        <FormDialog
          title="Rotate the signing key"
          onClose={() => setOpen(false)}
          submit="Rotate"
          send={async ({ isStolen }) => {
            const body = isStolen ? { activateInSeconds: 0 } : {}
            const { error } = await call('rotateKeys', { ...at, body })
            if (error) return error
            setOpen(false)
            announce(
              isStolen
                ? 'The next key signs now. Retire the stolen key.'
                : 'The next key is published. It signs in an hour.',
            )
            onDone()
            return undefined
          }}
        >
          <p>The next key is published now, and signs in an hour, when clients know it. No token ends.</p>
          <Check name="isStolen" label="Sign immediately, because the key was stolen" />
          <p class="soft">
            Then also retire the stolen key. Clients that do not know the new key yet refuse its tokens for up
            to 5 minutes. A key that is already published signs now.
          </p>
        </FormDialog>
      )}
    </>
  )
}
