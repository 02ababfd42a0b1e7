/** Stands in for `react-native`: renders to HTML. */
import type { ReactNode } from 'react'

export const Text = ({ children }: { children?: ReactNode }) => <p>{children}</p>

export const Button = ({ title, onPress }: { title: string; onPress: () => void }) => (
  <button type="button" onClick={onPress}>
    {title}
  </button>
)

interface TextInputProps {
  placeholder: string
  value: string
  onChangeText: (text: string) => void
  secureTextEntry?: boolean
}

export const TextInput = ({ placeholder, value, onChangeText, secureTextEntry }: TextInputProps) => (
  <input
    name={placeholder}
    value={value}
    onChange={(event) => onChangeText(event.target.value)}
    type={secureTextEntry ? 'password' : 'text'}
  />
)
