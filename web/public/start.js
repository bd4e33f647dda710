// Before the first paint; the policy allows no inline script.
{
  // A secret in an address goes out of it at once, as web/api/secret-text.ts says what one is. A token of a link, behind
  // its #, is for its page to take out.
  const likeSecret = (/** @type {string} */ kinds) =>
    new RegExp(
      [
        String.raw`w\s*h\s*s\s*e\s*c\s*[\p{Pc}\p{Pd}](?:\s*[0-9A-Za-z+/]){16,}`,
        String.raw`\be\s*m\s*[${kinds}](?:\s*\p{Pc}|\p{Pd}(?=[\s0-9a-z]*[A-Z]))(?:\s*[0-9A-Za-z]){32,}`,
        String.raw`\bem[${kinds}]\p{Pd}(?=[0-9a-z]*[A-Z])[0-9A-Za-z]{20,}`,
        String.raw`em[${kinds}]\p{Pc}[0-9A-Za-z]{20,}`,
      ].join('|'),
      'gu',
    )
  const plain = (/** @type {string} */ text) =>
    text.normalize('NFKC').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\\]/gu, '')
  const decoded = (/** @type {string} */ text) =>
    text.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, (octets) => {
      try {
        return decodeURIComponent(octets)
      } catch {
        return octets
      }
    })
  /** @type {(address: string, secret: RegExp, depth?: number) => string} */
  const without = (address, secret, depth = 3) =>
    address.replace(/[^?&=#]+/g, (part) => {
      const meant = decoded(part)
      const inner = plain(meant === part || depth === 0 ? meant : without(meant, secret, depth - 1))
      const kept = inner.replace(secret, '')
      if (kept === plain(meant)) return part
      return meant === part ? kept : kept.replace(/[%?&=#+\s]/g, encodeURIComponent)
    })
  const { pathname, search, hash } = location
  const kept = without(pathname + search, likeSecret('psirv')) + without(hash, likeSecret('ps'))
  if (kept !== pathname + search + hash) history.replaceState(history.state, '', kept)

  const scheme = localStorage.getItem('mantine-color-scheme-value') ?? 'auto'
  const dark = scheme === 'dark' || (scheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')

  // A page without its scripts stays a frame: it says so, and can be reloaded. Its stylesheet is asked for again.
  const fail = (/** @type {Event} */ { target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet')
      setTimeout(() => target.replaceWith(target.cloneNode()), 2_000)
    if (!(target instanceof HTMLScriptElement)) return
    document.body.setAttribute('data-frame', 'failed')
    document.querySelector('.frame-failed button')?.addEventListener('click', () => location.reload())
  }
  addEventListener('error', fail, true)

  // web/api/early.ts takes the response.
  const query = document.querySelector('meta[name="first-document"]')?.getAttribute('content')
  if (document.querySelector('meta[name="frame"][content="page"]')) {
    const [, first] = location.pathname.split('/')
    const slug = first === 'support' ? '' : first
    const response = fetch('/portal/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(slug && { 'portal-organization': slug }) },
      body: JSON.stringify({ query, variables: {} }),
      signal: AbortSignal.timeout(15_000),
    })
    response.catch(() => {})
    Object.assign(window, { portalEarly: { query, slug, at: Date.now(), response } })
  }
}
