/** What looks like a secret of the portal, also if its end is missing: as server/lib/secret.ts redacts it from logs. */
const LIKE_SECRET = /em[psirv](_|%5f)[0-9a-z]{20,}/gi

const API_KEY = /emp_[0-9A-Za-z]{49}/

/** A text for an address, from which everything that looks like a secret is taken out. */
export const withoutSecrets = (text: string) => text.replace(LIKE_SECRET, '')

export const hasSecret = (text: string) => text.search(LIKE_SECRET) !== -1

/** The secret of an API key in a text, also if it is wrapped into lines; undefined if none of them is whole. */
export const apiKeySecretIn = (text: string): string | undefined =>
  API_KEY.exec(text)?.[0] ?? API_KEY.exec(text.replace(/\s+/g, ''))?.[0]
