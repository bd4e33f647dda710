import { type RefObject, useState } from 'react'

const SHOWN_MS = 3_000

/** Copies to the clipboard; where that is refused (plain http, an old browser), the field is selected for Ctrl+C. */
export function useCopy(fallback: RefObject<HTMLInputElement | HTMLTextAreaElement | null>) {
  const [copied, setCopied] = useState<'done' | 'refused'>()
  const copy = async (value: string) => {
    const outcome = await toClipboard(value)
    if (outcome === 'refused') {
      fallback.current?.focus()
      fallback.current?.select()
    }
    setCopied(outcome)
    setTimeout(() => setCopied(undefined), SHOWN_MS)
  }
  return { copied, copy }
}

async function toClipboard(value: string): Promise<'done' | 'refused'> {
  try {
    await navigator.clipboard.writeText(value)
    return 'done'
  } catch {
    return 'refused'
  }
}
