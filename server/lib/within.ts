/** Waits for a promise, with a time limit; a later result is ignored. */
export function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.max(0, ms))
    void work.then(resolve, reject).then(() => clearTimeout(timer))
  })
}

/** A stall of this process must not count: before the second half of the wait it has sent the request, and last it reads once more. */
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
