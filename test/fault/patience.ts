/** Comes back when the work is done, or after this time: then it goes on by itself. */
export function withPatience(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  work.then(() => resolve(), reject)
  return promise.finally(() => clearTimeout(timer))
}
