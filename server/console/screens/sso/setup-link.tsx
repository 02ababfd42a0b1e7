import { useState } from 'preact/hooks'
import { call, type DataOf, type Task } from '../../api.js'
import { useConsole } from '../../context.js'
import { FormDialog } from '../../parts/dialog.js'
import { Check } from '../../parts/form.js'
import { Secret } from '../../parts/secret.js'

/** Creates a link with which the administrator of the customer sets single sign-on up. */
export function SetupLink({ tenantId, onCreated }: { tenantId: string; onCreated(): void }) {
  const { at } = useConsole()
  const [isOpen, setOpen] = useState(false)
  const [link, setLink] = useState<DataOf<'createSsoPortal'>>()
  const [task] = useState<Task>({})
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => setOpen(true)}>
          Create a setup link
        </button>
      </div>
      {isOpen && (
        <FormDialog
          title="Create a setup link"
          onClose={() => setOpen(false)}
          submit="Create"
          send={async ({ mayRequire }) => {
            const body = { mayRequire: mayRequire !== undefined }
            const { data, error } = await call('createSsoPortal', { ...at, tenantId, body, task })
            if (error) return error
            setOpen(false)
            setLink(data)
            onCreated()
            return undefined
          }}
        >
          <p>
            The administrator of the customer sets single sign-on up with it, for 7 days and in one browser. A
            new link ends the former one.
          </p>
          <Check name="mayRequire" label="It may require single sign-on of the members" />
        </FormDialog>
      )}
      {link?.url && (
        <Secret
          title="The setup link"
          value={link.url}
          more="Send it to the administrator of the customer. Whoever opens it first can decide who logs in to the tenant."
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  )
}
