import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

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

export default defineConfig({
  root: import.meta.dirname,
  plugins: [scrollAreaWithoutMenus, react()],
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.json' }, // what is bundled is passed on, and its licences ask to be named
    // What every page needs lies together: else a bit of it lands beside something big that few pages need. So does what many
    // parts share: a file for each of them costs more in names and requests than it saves (P8). Menus and dialogs are shared by
    // many parts too, but nearly every page opens without one.
    rolldownOptions: {
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
            { name: 'shared', minShareCount: 8 },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: { '/portal': 'http://127.0.0.1:4000', '/auth': 'http://127.0.0.1:4000' } },
})
