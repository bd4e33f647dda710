/** Whoever comes waits until so many are there; who comes later does not wait. */
export function meetingOf(many: number): () => Promise<void> {
  const { promise: complete, resolve } = Promise.withResolvers<void>()
  let there = 0
  return () => {
    if (++there === many) resolve()
    return complete
  }
}
