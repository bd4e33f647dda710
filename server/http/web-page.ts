import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'

/** Pages for people who are not signed in; the frame of all others has a head. */
const AUTH = /^\/(sign-in|sign-up|forgot-password|reset-password|reset|verify-email|invitations)(\/|$)/

/**
 * The page of each route. All that its first load needs is named in it, so that the browser fetches it at once and together,
 * and a frame is there to see before any of it has come. `NONCE` is left to fill in for each response.
 */
export function webPages(webDir: string, { signUp, smtp }: Pick<Config, 'signUp' | 'smtp'>): (route: string) => string {
  const html = stylesAfterFrame(readFileSync(join(webDir, 'index.html'), 'utf8'))
    .replace('SIGN_UP', signUp ? 'on' : 'off')
    .replace('SENDS_MAIL', smtp ? 'on' : 'off')
  // The scripts that each page needs before it is there: web/build/first-load.ts writes which.
  const scripts: Record<string, string[]> = JSON.parse(readFileSync(join(webDir, 'first-load.json'), 'utf8'))
  return (route) =>
    html
      .replaceAll('FRAME', AUTH.test(route) ? 'auth' : 'page')
      .replace('</head>', `${(scripts[route] ?? []).map(preload).join('')}</head>`)
}

/** The stylesheet comes after the frame, which does not wait for it. */
function stylesAfterFrame(html: string): string {
  const [link = ''] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? []
  return html.replace(link, '').replace('<noscript>', `${link}<noscript>`)
}

const preload = (file: string) => `<link rel="modulepreload" crossorigin href="/${file}">`
