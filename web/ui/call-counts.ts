const whole = new Intl.NumberFormat()

/** How many calls were accepted, and how many refused. */
export function inWords(calls: number, errors: number, when = ''): string {
  const made = calls === 0 ? 'No calls' : calls === 1 ? '1 call' : `${whole.format(calls)} calls`
  return errors === 0 ? `${made}${when}` : `${made} accepted${when}, ${whole.format(errors)} refused`
}
