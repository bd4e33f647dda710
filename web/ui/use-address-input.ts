import { type ChangeEvent, useEffect, useRef, useState } from 'react'

/**
 * For an input that writes into the address: what is being typed is not overwritten by its own echo, and the input
 * follows when the address changes by other means (Back, a link, "Clear filters").
 */
export function useAddressInput(inAddress: string, write: (value: string) => void, delayMs = 0) {
  const [{ value, written, seen }, setInput] = useState({ value: inAddress, written: inAddress, seen: inAddress })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (inAddress !== seen) {
    const isEcho = inAddress === written
    setInput({ value: isEcho ? value : inAddress, written: inAddress, seen: inAddress })
  }
  const send = (next: string) => {
    setInput((input) => ({ ...input, written: next }))
    write(next)
  }
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const next = event.currentTarget.value
    setInput((input) => ({ ...input, value: next }))
    clearTimeout(timer.current)
    if (delayMs === 0) send(next)
    else timer.current = setTimeout(() => send(next), delayMs)
  }
  return { value, onChange }
}
