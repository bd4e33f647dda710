import { useState } from 'react'
import { ApiError } from '../api/client.ts'

/** The states of a confirmation: pending, then closed on success, or an error. */
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
