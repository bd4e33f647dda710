import { type ChangeEvent, type ClipboardEvent, useEffect, useRef, useState } from 'react'
import { apiKeySecretIn, hasSecret } from '../api/secret-text.ts'
import { useKeyOfSecret } from './use-key-of-secret.tsx'

interface Input {
  value: string
  /** What was written and has not come back yet, the oldest first. */
  written: readonly string[]
  /** What was in the address. */
  seen: string
}

/**
 * For an input that writes into the address: what is being typed is not overwritten by its own echo, and the input
 * follows when the address changes by other means (Back, a link, "Clear filters"). A secret is taken out of it.
 */
export function useAddressInput(inAddress: string, write: (value: string) => void, delayMs = 0) {
  const [{ value, written, seen }, setInput] = useState<Input>({ value: inAddress, written: [], seen: inAddress })
  const findKey = useKeyOfSecret()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (inAddress !== seen) {
    const isEcho = written.includes(inAddress)
    const later = isEcho ? written.slice(written.indexOf(inAddress) + 1) : []
    setInput({ value: isEcho ? value : inAddress, written: later, seen: inAddress })
  }
  const send = (next: string) => {
    setInput((input) => ({ ...input, written: next === input.seen ? [] : [...input.written, next] }))
    write(next)
  }
  const change = (next: string) => {
    setInput((input) => ({ ...input, value: next }))
    clearTimeout(timer.current)
    if (delayMs === 0) send(next)
    else timer.current = setTimeout(() => send(next), delayMs)
  }
  const onChange = ({ currentTarget: { value: typed } }: ChangeEvent<HTMLInputElement>) => {
    if (!hasSecret(typed)) return change(typed)
    clearTimeout(timer.current)
    if (apiKeySecretIn(typed) === undefined) return setInput((input) => ({ ...input, value: typed })) // still being typed
    change('')
    void findKey(typed)
  }
  /** The whole text, of which the field would take a part only. */
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text')
    if (!hasSecret(pasted)) return
    event.preventDefault()
    void findKey(pasted)
  }
  return { value, onChange, onPaste }
}
