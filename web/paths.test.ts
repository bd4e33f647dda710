import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keysOf, paths, safeNext } from './paths.ts'

const ROUTES = readFileSync(join(import.meta.dirname, 'routes.tsx'), 'utf8')
const SLUG = 'acme'
const ID = '01k9x0000000000000000000aa'

/** The patterns of all routes in the route tree, as routes.tsx writes them. */
function servedPatterns(): string[] {
  /** What several routes share: `const atRoot = { … }`, and in each of them `...atRoot`. */
  const shared = new Map([...ROUTES.matchAll(/const (\w+) = (\{ .* \})/g)].map(([, name, body]) => [name, body]))
  const tree = ROUTES.slice(ROUTES.indexOf('const routeTree'))
  const routes = new Map(
    [...ROUTES.matchAll(/const (\w+) = createRoute\(\{([\s\S]*?)\}\)\n/g)].map(([, name = '', own = '']) => {
      const body = own.replaceAll(/\.\.\.(\w+)/g, (_all, part: string) => shared.get(part) ?? '')
      const parent = /getParentRoute: \(\) => (\w+)/.exec(body)?.[1] ?? ''
      return [name, { parent, path: /\bpath: '([^']+)'/.exec(body)?.[1] ?? '' }]
    }),
  )
  const patternOf = (name: string): string => {
    const route = routes.get(name)
    return route ? patternOf(route.parent) + route.path : ''
  }
  return [...routes.keys()].filter((name) => new RegExp(`\\b${name}\\b`).test(tree)).map(patternOf)
}

const isServed = (path: string) => {
  const { pathname } = new URL(path, 'http://portal')
  return servedPatterns().some((pattern) => new RegExp(`^${pattern.replaceAll(/\$\w+/g, '[^/]+')}$`).test(pathname))
}

describe('every path of the path builder is served by a route', () => {
  it.each(Object.entries(paths))('%s', (_name, build: (...parts: string[]) => string) => {
    expect(isServed(build(SLUG, ID))).toBe(true)
  })

  it.each(['/acme', '/acme/nothing', `/acme/devices/${ID}/nothing`, '/acme/api-keys'])('and %s is not', (path) => {
    expect(isServed(path)).toBe(false)
  })

  it.each(['PERSONAL', 'ORGANIZATION'])('the keys of an account: %s', (kind) => {
    for (const apiKeysEnabled of [true, false]) {
      expect(isServed(keysOf({ slug: SLUG, kind, apiKeysEnabled }, [ID]))).toBe(true)
    }
  })
})

describe('where a sign-in leads', () => {
  it.each(['/acme/users', '/acme/devices?search=a%20b#top', '/acme/users/api-keys'])('on to %s', (next) => {
    expect(safeNext(next)).toBe(next)
  })

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    'acme/users',
    '',
    undefined,
    ['/acme'],
  ])('never to another site: %j', (next) => {
    expect(safeNext(next)).toBe('/')
  })
})
