/** What was sent, indented; as it is where it cannot be. */
export function readablePayload(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
