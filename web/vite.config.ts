import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.json' }, // what is bundled is passed on, and its licences ask to be named
    // What every page needs lies together: else a bit of it lands beside something big that few pages need. So does what many
    // parts share: a file for each of them costs more in names and requests than it saves (P8).
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'mantine', test: /[\\/]@mantine[\\/]core[\\/]esm[\\/]core[\\/]/ },
            // Questions about devices are in many dialogs, but only of two pages.
            { name: 'shared', minShareCount: 8, test: /^(?!.*[\\/]web[\\/]api[\\/]devices\.ts)/ },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: { '/portal': 'http://127.0.0.1:4000', '/auth': 'http://127.0.0.1:4000' } },
})
