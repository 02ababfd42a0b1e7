import { useState } from 'preact/hooks'

/** A button that copies a text. @param of what it is, for screen readers */
export function Copy({ value, of, isMain }: { value: string; of?: string; isMain?: boolean }) {
  const [copied, setCopied] = useState<{ value: string; text: string }>()
  const text = copied?.value === value ? copied.text : 'Copy'
  const done = (text: string) => setCopied({ value, text })
  return (
    <button
      type="button"
      class={isMain ? 'main' : undefined}
      aria-label={of && `${text} ${of}`}
      onClick={() =>
        navigator.clipboard.writeText(value).then(
          () => done('Copied'),
          () => done('Select and copy it yourself'),
        )
      }
    >
      {text}
    </button>
  )
}
