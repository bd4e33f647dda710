import type { Plugin } from 'vite'

const SECOND = /if \(ref\.current\) setTimeout\(\(\) => \{\s*if \(ref\.current\) focusNode\(ref\.current\);\s*\}\);/

/**
 * Mantine focuses the first element of a dialog twice: when the dialog is there, and after the first paint. Whoever has
 * pressed Tab in between would be set back, and press Cancel instead of what they chose. The second is left out.
 */
export const focusOnce = (): Plugin => ({
  name: 'focus-once',
  enforce: 'pre',
  transform: {
    filter: { id: /[\\/]use-focus-trap\.mjs$/ },
    handler(code) {
      if (!SECOND.test(code)) this.error('Mantine focuses differently now: see web/build/focus-once.ts')
      return code.replace(SECOND, '')
    },
  },
})
