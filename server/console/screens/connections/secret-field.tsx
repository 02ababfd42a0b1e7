import { Field } from '../../parts/form.js'

/** The secret of a client, or the private key that signs it. It is written, and never shown again. */
export const SecretField = ({ isKey, isOptional = false }: { isKey: boolean; isOptional?: boolean }) =>
  isKey ? (
    <Field
      name="secret"
      label="Private key"
      hint="The text of the .p8 file. Nothing shows it again."
      isLong
    />
  ) : (
    <Field
      name="secret"
      label="Client secret"
      hint={`Nothing shows it again.${isOptional ? ' Empty: the client has none.' : ''}`}
      type="password"
      autocomplete="new-password"
      isOptional={isOptional}
    />
  )
