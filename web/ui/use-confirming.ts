import { useState } from 'react'
import { ApiError } from '../api/client.ts'

/** What a dialog goes through once its button is pressed: it waits, and closes when all is done, or tells what is wrong. */
export function useConfirming(onConfirm: () => Promise<unknown>, onClose: () => void) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<ApiError>()

  const confirm = async () => {
    if (pending) return
    setPending(true)
    setError(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      setError(thrown)
    } finally {
      setPending(false)
    }
  }
  return { pending, error, confirm }
}
