// Before the first paint, so that a dark room stays dark. A file of its own: the policy allows no inline script.
const kept = localStorage.getItem('mantine-color-scheme-value') ?? 'auto'
const dark = kept === 'dark' || (kept === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
