import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { withoutFonts } from './without-fonts.ts'

/** Mantine's ScrollArea, which every dialog and table contains, loads the code of all menus for one small hook of it. */
const scrollAreaWithoutMenus: Plugin = {
  name: 'scroll-area-without-menus',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^@floating-ui\/react$/ },
    handler: (_id, importer) =>
      importer?.includes('ScrollArea') ? join(import.meta.dirname, 'merge-refs.ts') : undefined,
  },
}

/** Many parts share these, but only parts of the explorer, or of the pages of devices. */
const OF_FEW_PAGES =
  /[\\/]node_modules[\\/](codemirror|codemirror-graphql|graphql|graphql-language-service)[\\/]|[\\/]web[\\/]api[\\/]devices\.ts/

const SENT_BY_SERVER = ['/portal', '/auth', '/graphql', '/docs', '/schema.graphql']

export default defineConfig({
  root: import.meta.dirname,
  plugins: [scrollAreaWithoutMenus, react(), withoutFonts()],
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800, // the explorer, which only its own page loads
    license: { fileName: 'licenses.json' }, // what is bundled is passed on, and its licences ask to be named
    // What every page needs lies together: else a bit of it lands beside something big that few pages need. So does what many
    // parts share: a file for each of them costs more in names and requests than it saves (P8). Menus and dialogs are shared by
    // many parts too, but nearly every page opens without one.
    rolldownOptions: {
      // A word to React's compiler in a file that it has gone through already.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
      output: {
        codeSplitting: {
          groups: [
            { name: 'mantine', test: /[\\/]@mantine[\\/]core[\\/]esm[\\/]core[\\/]/ },
            { name: 'menus', test: /[\\/]@floating-ui[\\/]/, includeDependenciesRecursively: false },
            {
              name: 'overlays',
              test: /[\\/](react-remove-scroll(-bar)?|react-style-singleton|use-sidecar)[\\/]|[\\/]components[\\/](Modal|ModalBase|Overlay|ScrollArea)[\\/]|[\\/]ui[\\/](ConfirmDialog|FormDialog)\.tsx/,
              includeDependenciesRecursively: false,
            },
            { name: 'shared', minShareCount: 8, test: (id) => !OF_FEW_PAGES.test(id) },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: Object.fromEntries(SENT_BY_SERVER.map((path) => [path, 'http://127.0.0.1:4000'])) },
})
