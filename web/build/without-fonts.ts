import type { Plugin } from 'vite'

/** GraphiQL's styles without the fonts inside them: 380 KB, which the content security policy refuses to load anyway. */
export const withoutFonts = (): Plugin => ({
  name: 'without-fonts',
  enforce: 'pre',
  transform: {
    filter: { id: /[\\/]graphiql[\\/]dist[\\/]style\.css/ },
    handler: (css) => css.replace(/@font-face\s*\{[^}]*\}/g, ''),
  },
})
