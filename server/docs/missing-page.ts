import { htmlPage } from './html.ts'

/** What a person sees where there is nothing. It repeats nothing of the address. */
export const missingPage = (): string =>
  htmlPage({
    title: 'Not found',
    main: `<h1>This page does not exist</h1>
<p>The address may be wrong, or what was there is gone.</p>
<p><a href="/">Open the portal</a> or <a href="/docs/">read the documents</a>. The API is at <code>POST /graphql</code>.</p>
`,
  })
