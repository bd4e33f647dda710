import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withResults } from './results-page.ts'

const block = (architecture: string, text: string) =>
  `### ${architecture}\n\n<!-- results ${architecture} -->\n\n${text}\n\n<!-- end ${architecture} -->\n`
const PAGE = `# Bench\n\n${block('x64', 'fast')}\n${block('arm64', 'slow')}\nMore.\n`

it('new results replace those of the same architecture, and leave the others as they are', () => {
  expect(withResults(PAGE, 'x64', 'faster $& $1')).toBe(PAGE.replace('fast', () => 'faster $& $1'))
  expect(withResults(PAGE, 'arm64', 'faster')).toBe(PAGE.replace('slow', 'faster'))
  expect(withResults(withResults(PAGE, 'arm64', 'a'), 'arm64', 'b')).toBe(PAGE.replace('slow', 'b'))
})

it('the first results of an architecture come after those of the others', () => {
  const page = withResults(PAGE, 'riscv64', 'new')
  expect(page).toBe(
    `# Bench\n\n${block('x64', 'fast')}\n${block('arm64', 'slow')}\n${block('riscv64', 'new')}\nMore.\n`,
  )
  expect(withResults(page, 'riscv64', 'newer')).toBe(page.replace('new', 'newer'))
})

it('a page without a place for results is refused', () => {
  expect(() => withResults('# Bench\n', 'x64', 'fast')).toThrow('no place')
})

it('bench/README.md has a place for both architectures', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')
  for (const architecture of ['x64', 'arm64']) {
    const saved = withResults(page, architecture, 'of today')
    expect(saved).toContain(`<!-- results ${architecture} -->\n\nof today\n\n<!-- end ${architecture} -->\n`)
    expect(saved.match(/<!-- results/g)).toHaveLength(2)
  }
})
