import { OperatorError } from '../server/lib/app-error.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs work that cleans up after itself when somebody stops the command. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const stop = () => controller.abort(new OperatorError('Interrupted: nothing was changed.'))
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await work(controller.signal)
  } catch (error) {
    if (error instanceof OperatorError || !controller.signal.aborted) throw error // it says what was done
    throw controller.signal.reason
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}
