import react from '@vitejs/plugin-react'
import { defineConfig, normalizePath, type Plugin } from 'vite'
import { VIEWER } from './api/viewer-document.ts'
import { design } from './build/design.ts'
import { firstLoad, isLoadedFirst, type Modules } from './build/first-load.ts'
import { focusOnce } from './build/focus-once.ts'

const ours = `${normalizePath(import.meta.dirname)}/`
const SENT_BY_SERVER = ['/portal/', '/auth', '/graphql', '/docs', '/schema.graphql']

/** GraphiQL's fonts are 380 KB inside its styles, and the content security policy refuses to load them. */
const withoutFonts = {
  postcssPlugin: 'without-fonts',
  AtRule: {
    'font-face': (rule: AtRule) => {
      if (rule.source?.input.file?.includes('graphiql')) rule.remove()
    },
  },
}

interface AtRule {
  source?: { input: { file?: string } }
  remove(): void
}

/** Writes the first thing that every page asks for into the page, where start.js finds it before any other script is there. */
const firstDocument: Plugin = {
  name: 'first-document',
  transformIndexHtml: (html) => html.replace('FIRST_DOCUMENT', String(VIEWER)),
}

/** What three pages have and the others do without: the large chart, and the list of events. */
const FOR_FEW = /\/(ui\/(UsageHistory|chart-scale|use-chart-cursor)|pages\/audit\/(details|EventList|FieldChanges))\./

/** The list of keys, which three pages show, and no other has a use for. */
const OF_KEYS = /web.(pages.api-keys|ui.UsageChart)/

const isOurs = (id: string) => id.startsWith(ours) && !FOR_FEW.test(id)

const sharedByPages = (id: string, modules: Modules) => (isLoadedFirst(id, modules) ? 'shared' : null)

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), focusOnce(), firstDocument, design(`${ours}ui/tokens.css`), firstLoad()],
  css: { postcss: { plugins: [withoutFonts] } },
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    cssCodeSplit: false, // how a part looks does not depend on what was loaded before it
    chunkSizeWarningLimit: 800, // the explorer, which only its own page loads
    license: { fileName: 'licenses.json' }, // what is bundled is passed on, and its licences ask to be named
    rolldownOptions: {
      // A word to React's compiler, in a file that it has gone through already.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
      output: {
        codeSplitting: {
          // Each file costs a phone a round trip: what three parts of ours share is in one, with the libraries that it needs,
          // and what a page does not need before it is there is in another.
          groups: [
            {
              name: sharedByPages,
              debugName: 'shared',
              test: (id) => isOurs(id) && !OF_KEYS.test(id),
              minShareCount: 3,
            },
            { name: 'key-list', test: OF_KEYS, minShareCount: 3 },
            { name: 'dialogs', test: isOurs, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(SENT_BY_SERVER.map((path) => [path, 'http://127.0.0.1:4000'])) },
})
