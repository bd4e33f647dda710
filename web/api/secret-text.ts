/** What can stand inside a secret that was copied, and is not seen there. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\\]/gu

/**
 * What looks like a secret of the portal, also if its end is missing. Blanks and line breaks count as part of it where 32
 * characters follow, not 20: nobody searches for so many words after `emp_`, and fewer leave too much to be guessed. With
 * a dash it needs a capital letter, which the name of an organization in an address has not.
 */
const LIKE_SECRET = new RegExp(
  [
    String.raw`w\s*h\s*s\s*e\s*c\s*[\p{Pc}\p{Pd}](?:\s*[0-9A-Za-z+/]){16,}`,
    String.raw`\be\s*m\s*[psirv](?:\s*\p{Pc}|\p{Pd}(?=[\s0-9a-z]*[A-Z]))(?:\s*[0-9A-Za-z]){32,}`,
    String.raw`\bem[psirv]\p{Pd}(?=[0-9a-z]*[A-Z])[0-9A-Za-z]{20,}`,
    String.raw`em[psirv]\p{Pc}[0-9A-Za-z]{20,}`,
  ].join('|'),
  'gu',
)

const API_KEY = /emp[\p{Pc}\p{Pd}]([0-9A-Za-z]{49})/u

/** How often an address is written inside another one. */
const DEPTH = 3

/** A text, or an address, without what looks like a secret. web/public/start.js does the same before the first paint. */
export function withoutSecrets(text: string, depth = DEPTH): string {
  return text.replace(/[^?&=#]+/g, (part) => {
    const meant = decoded(part)
    const inner = plain(meant === part || depth === 0 ? meant : withoutSecrets(meant, depth - 1))
    const kept = inner.replace(LIKE_SECRET, '')
    if (kept === plain(meant)) return part
    return meant === part ? kept : kept.replace(/[%?&=#+\s]/g, encodeURIComponent)
  })
}

export const hasSecret = (text: string) => withoutSecrets(text) !== text

/** The secret of an API key in a text, also if it is wrapped into lines; undefined if none of them is whole. */
export function apiKeySecretIn(text: string): string | undefined {
  const [, random] = API_KEY.exec(text) ?? API_KEY.exec(plain(decoded(text)).replace(/\s+/g, '')) ?? []
  return random && `emp_${random}`
}

const plain = (text: string) => text.normalize('NFKC').replace(UNSEEN, '')

const decoded = (text: string) =>
  text.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, (octets) => {
    try {
      return decodeURIComponent(octets)
    } catch {
      return octets
    }
  })
