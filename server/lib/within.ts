/** Waits for a promise, with a time limit; a later result is ignored. */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), Math.max(0, ms))
  work.catch(() => {}) // it may fail after the time limit
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
