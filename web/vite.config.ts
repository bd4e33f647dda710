import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { CHUNKS, isAlwaysLoaded } from './build/chunks.ts'
import { compactDocuments } from './build/compact-documents.ts'
import { firstDocument } from './build/first-document.ts'
import { firstLoad } from './build/first-load.ts'
import { focusOnce } from './build/focus-once.ts'
import { leanMantine } from './build/lean-mantine.ts'
import { mantineStyles } from './build/mantine-styles.ts'
import { themeStyles } from './build/theme-styles.ts'
import { withoutFonts } from './build/without-fonts.ts'

const SENT_BY_SERVER = ['/portal', '/auth', '/graphql', '/docs', '/schema.graphql']

const EXPECTED = new Set([
  'MODULE_LEVEL_DIRECTIVE', // a word to React's compiler in a file that it has gone through already
  'INEFFECTIVE_DYNAMIC_IMPORT', // routes load what pages import too, before the code of the page is there: see build/chunks.ts
])

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    leanMantine(),
    focusOnce(),
    compactDocuments(),
    mantineStyles(),
    themeStyles(),
    react(),
    withoutFonts(),
    firstDocument(),
    firstLoad(),
  ],
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, needed) => needed.filter((file) => !isAlwaysLoaded(file)),
    },
    chunkSizeWarningLimit: 800, // the explorer, which only its own page loads
    license: { fileName: 'licenses.json' }, // what is bundled is passed on, and its licences ask to be named
    rolldownOptions: {
      onLog: (level, log, report) => !EXPECTED.has(log.code ?? '') && report(level, log),
      output: {
        codeSplitting: { groups: CHUNKS },
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(SENT_BY_SERVER.map((path) => [path, 'http://127.0.0.1:4000'])) },
})
