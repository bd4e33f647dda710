/** Whether a value is longer as JSON, roughly: counted until that is known. */
export function isLongerThan(most: number, value: unknown): boolean {
  let left = most
  const count = (part: unknown): void => {
    left -= 4 // quotes, a colon, a comma
    if (left < 0) return
    if (typeof part === 'string') left -= part.length
    else if (Array.isArray(part)) for (const each of part) count(each)
    else if (part !== null && typeof part === 'object')
      for (const name in part) {
        left -= name.length
        if (left < 0) return
        count((part as Record<string, unknown>)[name]) // no prototype has fields of its own: it is JSON, or an answer of GraphQL
      }
  }
  count(value)
  return left < 0
}
