// Before the first paint; the policy allows no inline script.
{
  // A secret in an address goes out of it at once. A token of a link, behind its #, is for its page to take out.
  const { pathname, search, hash } = location
  const sent = (pathname + search).replace(/em[psirv](_|%5f)[0-9a-z]{20,}/gi, '')
  const kept = hash.replace(/em[ps](_|%5f)[0-9a-z]{20,}/gi, '')
  if (sent + kept !== pathname + search + hash) history.replaceState(history.state, '', sent + kept)

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
