import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const STYLESHEET = /<link rel="stylesheet"[^>]* href="([^"]+)"/
const FONT_FACE = /@font-face\{[^}]*url\(([^)]+)\)[^}]*\}/g

export interface Typefaces {
  /** For a stylesheet. */
  faces: string
  /** For a `Link` header, so that a browser asks for them together with the stylesheet: that of words, and that of code. */
  preloads: string[]
}

/** The typefaces of the built web interface, for the pages of the server; none where it is not built. */
export function readTypefaces(webDir: string | undefined): Typefaces {
  const page = webDir === undefined ? '' : readFileSync(join(webDir, 'index.html'), 'utf8')
  const [, stylesheet] = STYLESHEET.exec(page) ?? []
  if (webDir === undefined || stylesheet === undefined) return { faces: '', preloads: [] }
  const found = [...readFileSync(join(webDir, stylesheet), 'utf8').matchAll(FONT_FACE)]
  return {
    faces: found.map(([face]) => `${face}\n`).join(''),
    preloads: found.map(([, file]) => `<${file}>; rel=preload; as=font; type="font/woff2"; crossorigin`),
  }
}
