import { expect, it } from 'vitest'
import { toJavaScript } from './javascript.ts'

const path = 'server/db/planted.ts'

it('removes types and keeps every line and column', () => {
  const source = `import type { A } from './a.ts'\n\nexport function f<T>(a: A, ...rest: T[]): void {}\n`
  expect(toJavaScript(path, source)).toEqual({
    code: `${' '.repeat(31)}\n\nexport function f   (a   , ...rest     )       {}\n`,
    imports: [],
  })
})

it('rewrites the paths of all kinds of imports', () => {
  const source = [
    `// é 😀 import './comment.ts'`,
    `import { a, type B } from "../lib/a.ts"`,
    `import './c.ts'`,
    `export { d } from './d.ts'`,
    `export * from './e.ts'`,
    `const words: string = "é 😀 from './text.ts'"`,
    `const f = await import('./migrations/f.ts')`,
    `new Worker(new URL('./g.ts', import.meta.url))`,
  ].join('\n')
  const { code, imports } = toJavaScript(path, source)
  expect(code.split('\n')).toEqual([
    `// é 😀 import './comment.ts'`,
    `import { a,        } from '../lib/a.js'`,
    `import './c.js'`,
    `export { d } from './d.js'`,
    `export * from './e.js'`,
    `const words         = "é 😀 from './text.ts'"`,
    `const f = await import('./migrations/f.js')`,
    `new Worker(new URL('./g.js', import.meta.url))`,
  ])
  expect(imports).toEqual([
    'server/lib/a.ts',
    'server/db/c.ts',
    'server/db/d.ts',
    'server/db/e.ts',
    'server/db/migrations/f.ts',
    'server/db/g.ts',
  ])
})

it('follows the path of a worker', () => {
  expect(toJavaScript(path, `new Worker(new URL('./worker.ts', import.meta.url))`)).toEqual({
    code: `new Worker(new URL('./worker.js', import.meta.url))`,
    imports: ['server/db/worker.ts'],
  })
})

it('leaves packages, JavaScript and JSON unchanged', () => {
  const source = `import 'node:fs'\nimport x from 'graphql'\nimport '../../bin/y.js'\nimport z from '../../package.json' with { type: 'json' }\n`
  expect(toJavaScript(path, source)).toEqual({ code: source, imports: ['bin/y.js', 'package.json'] })
})

it('refuses an import that it cannot follow', () => {
  expect(() => toJavaScript(path, 'await import(process.argv[2])')).toThrow('known only when it runs')
  expect(() => toJavaScript(path, `new Worker('./worker.ts')`)).toThrow('./worker.ts')
  expect(() => toJavaScript(path, `new Worker(new URL('./worker.ts', base))`)).toThrow('./worker.ts')
  expect(() => toJavaScript(path, `join(import.meta.dirname, 'worker.ts')`)).toThrow('worker.ts outside of an import')
  expect(() => toJavaScript(path, 'enum Colour { Red }')).toThrow()
})
