import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { compact } from './documents.ts'

const SOURCE = join(import.meta.dirname, '..', 'api', 'viewer.ts')

/** Writes the first thing that every page asks for into the page, where start.js finds it before any other script is there. */
export const firstDocument = (): Plugin => ({
  name: 'first-document',
  transformIndexHtml: (html) => html.replace('FIRST_DOCUMENT', compact(documentIn(readFileSync(SOURCE, 'utf8')))),
})

function documentIn(source: string): string {
  const text = /graphql\(`([^`]*)`/.exec(source)?.[1]
  if (!text) throw new Error('web/api/viewer.ts has no document.')
  return text
}
