import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Replaced {
  id: RegExp
  importer: RegExp
  by: string
}

/** Parts of Mantine that every page would load, and none needs. */
const REPLACED: Replaced[] = [
  { id: /\/default-theme\.mjs$/, importer: /[\\/]MantineProvider[\\/]/, by: 'default-theme.ts' },
  { id: /\/parse-theme-color\.mjs$/, importer: /[\\/]@mantine[\\/]/, by: 'colors.ts' },
  { id: /\/(rgba|get-gradient)\.mjs$/, importer: /[\\/](Overlay|Text)\.mjs$/, by: 'colors.ts' },
  { id: /\/ScrollArea\.mjs$/, importer: /[\\/]components[\\/](Modal|Table)[\\/]/, by: 'scroll-area.ts' },
  { id: /\/ComboboxChevron\.mjs$/, importer: /[\\/]NativeSelect\.mjs$/, by: 'combobox-chevron.tsx' },
  { id: /\/Mantine(CssVariables|Classes)\.mjs$/, importer: /[\\/]MantineProvider\.mjs$/, by: 'provider-styles.ts' },
  { id: /\/transitions\.mjs$/, importer: /[\\/]get-transition-styles\.mjs$/, by: 'transitions.ts' },
  { id: /^react-remove-scroll$/, importer: /[\\/](ModalBase|esm[\\/]index)\.mjs$/, by: 'remove-scroll.tsx' },
]

/** What components carry along for developer tools, and parts of them that no page of ours has. */
const CARRIED = /^(\w+\.(displayName|varsResolver|classes) = [^{\n]*|Button\.Group(Section)? = \w+);$/gm

/** Mantine without what its components import and our pages never use. */
export const leanMantine = (): Plugin => ({
  name: 'lean-mantine',
  enforce: 'pre',
  resolveId: {
    filter: { id: REPLACED.map(({ id }) => id) },
    handler(id, importer) {
      const replaced = REPLACED.find((one) => one.id.test(id) && importer && one.importer.test(importer))
      return replaced && join(import.meta.dirname, 'replaced', replaced.by)
    },
  },
  transform: {
    filter: { id: /[\\/]@mantine[\\/]\w+[\\/]esm[\\/].*\.mjs$/ },
    handler: (code) => code.replace(CARRIED, ''),
  },
})
