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

/**
 * The same for an answer of another process: a stall of this one must not count as the other's. So it waits in two
 * halves: before the second one, the request has certainly been sent, and at the end, it reads once what has arrived.
 */
export async function answeredWithin<Result>(ms: number, answer: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new Error(`no answer within ${ms} ms`))
  let timer = setTimeout(() => {
    timer = setTimeout(() => setImmediate(giveUp), ms / 2)
  }, ms / 2)
  answer.catch(() => {}) // it may fail after the time limit
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
