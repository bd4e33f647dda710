import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import * as icons from '../../web/ui/icons/icons.ts'

const kebab = (name: string) =>
  name
    .replace(/^Icon/, '')
    .replace(/(?<!^)[A-Z]/g, '-$&')
    .toLowerCase()

/** The package is too large for `npm start` to install: so the web interface has only the drawings that it uses. */
function fromPackage(name: string): string {
  const file = fileURLToPath(import.meta.resolve(`@tabler/icons/outline/${kebab(name)}.svg`))
  return Array.from(readFileSync(file, 'utf8').matchAll(/<path d="([^"]+)"/g), ([, lines]) => lines).join('')
}

it.each(Object.entries(icons))('%s is the one of Tabler Icons', (name, lines) => {
  expect(lines).toBe(fromPackage(name))
})
