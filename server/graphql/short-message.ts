const MAX_MESSAGE = 300

/** What GraphQL's own errors say; they may repeat what was sent. */
export const shortMessage = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}…` : message
