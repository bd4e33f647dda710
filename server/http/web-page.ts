import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'

/** The scripts and styles that a page needs before it is there: web/build/first-load.ts writes which. */
interface FirstLoad {
  scripts: string[]
  styles: string[]
}

/** Pages for people who are not signed in; the frame of all others has a head. */
const AUTH = /^\/(sign-in|sign-up|forgot-password|reset-password|reset|verify-email|invitations)(\/|$)/

/**
 * The page of each route. All that its first load needs is named in it, so that the browser fetches it at once and together,
 * and a frame is there to see before any of it has come. `NONCE` is left to fill in for each response.
 */
export function webPages(webDir: string, { signUp, smtp }: Pick<Config, 'signUp' | 'smtp'>): (route: string) => string {
  const html = withoutStyles(readFileSync(join(webDir, 'index.html'), 'utf8'))
    .replace('SIGN_UP', signUp ? 'on' : 'off')
    .replace('SENDS_MAIL', smtp ? 'on' : 'off')
  const loads: Record<string, FirstLoad> = JSON.parse(readFileSync(join(webDir, 'first-load.json'), 'utf8'))
  return (route) => {
    const { scripts = [], styles = [] } = loads[route] ?? {}
    return html
      .replaceAll('FRAME', AUTH.test(route) ? 'auth' : 'page')
      .replace('</head>', `${scripts.map(preload).join('')}</head>`)
      .replace('<noscript>', `${styles.map(stylesheet).join('')}<noscript>`)
  }
}

/** They come after the frame, which does not wait for them, in the order in which one may overrule another. */
const withoutStyles = (html: string) => html.replace(/<link rel="stylesheet"[^>]*>\s*/g, '')

const preload = (file: string) => `<link rel="modulepreload" crossorigin href="/${file}">`
const stylesheet = (file: string) => `<link rel="stylesheet" crossorigin href="/${file}">`
