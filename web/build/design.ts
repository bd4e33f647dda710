import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/**
 * Writes the tokens into the page, so that its frame has them before any stylesheet is there, and asks for the fonts at
 * once. While developing, /design shows all parts.
 */
export const design = (tokens: string): Plugin => ({
  name: 'design',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (request.url === '/design') request.url = '/design.html'
      next()
    })
  },
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const fonts = Object.keys(bundle).filter((file) => file.endsWith('.woff2'))
      return [
        {
          tag: 'style',
          attrs: { nonce: 'NONCE' },
          children: plain(readFileSync(tokens, 'utf8')),
          injectTo: 'head',
        },
        ...fonts.map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
          injectTo: 'head' as const,
        })),
      ]
    },
  },
})

/** Without comments and line breaks. */
const plain = (css: string) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .trim()
