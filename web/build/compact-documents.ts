import type { Plugin } from 'vite'
import { compact } from './documents.ts'

/** Sends documents as short as they can be. */
export const compactDocuments = (): Plugin => ({
  name: 'compact-documents',
  enforce: 'pre',
  apply: 'build',
  transform: {
    filter: { id: /[\\/]web[\\/]api[\\/][\w-]+\.ts$/, code: 'graphql(`' },
    handler: (code) => code.replace(/graphql\(`([^`"#]*)`/g, (_all, text: string) => `graphql(\`${compact(text)}\``),
  },
})
