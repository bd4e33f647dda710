const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

export const STYLESHEET = '/docs/style.css'

export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

interface Page {
  title: string
  /** HTML: links of the side, if there are any. */
  menu?: string
  main: string
  /** Where the same is as Markdown. */
  markdown?: string
}

/** A page that needs no script and nothing from elsewhere. */
export const htmlPage = ({ title, menu, main, markdown }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Edge Management Portal</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET}">
${markdown === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${markdown}">\n`}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/docs/">Edge Management Portal</a>
<nav aria-label="Portal"><a href="/">Open the portal</a></nav>
</header>
<div class="${menu === undefined ? 'plain' : 'columns'}">
${menu === undefined ? '' : `<aside><details><summary>Contents</summary></details><nav aria-label="Documents">${menu}</nav></aside>\n`}<main id="main" tabindex="-1">
${main}</main>
</div>
</body>
</html>
`

/** What a person sees where there is nothing, as in the web interface. It repeats nothing of the address. */
export const missingPage = (): string =>
  htmlPage({
    title: 'Not found',
    main: `<h1>Not found</h1>
<div class="missing">
<h2>This page does not exist</h2>
<p>The address may be wrong, or you may not have access.</p>
<p><a class="button" href="/">Go to the home page</a></p>
<p><a href="/docs/">Read the documents</a></p>
</div>
`,
  })
