import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { describe, expect, onTestFinished } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inWorld(startWorld).extend('get', { scope: 'file' }, ({ world }) => async (path: string, headers = {}) => {
  const response = await fetch(new URL(path, world.url), { headers })
  const type = response.headers.get('content-type')
  return { status: response.status, type, headers: response.headers, text: await response.text() }
})

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)
const DOCUMENTS = ['api', 'errors', 'operations', 'revocation', 'architecture', 'glossary', 'changelog', 'security']

describe('/schema.graphql', () => {
  it('is the schema, as text, for everybody', async ({ get }) => {
    const { status, type, text } = await get('/schema.graphql')
    expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
    const committed = readFileSync('schema.graphql', 'utf8')
    expect(committed.endsWith(text)).toBe(true)
    expect(buildSchema(text).getQueryType()?.getFields()).toHaveProperty('devices')
  })

  it('is sent once to a client that keeps it, compressed if it accepts that', async ({ world, get }) => {
    const first = await get('/schema.graphql')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    for (const tag of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      expect(await get('/schema.graphql', { 'if-none-match': tag }), tag).toMatchObject({ status: 304, text: '' })
    }
    expect(await get('/schema.graphql', { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['zstd', 'zstd'],
      ['zstd, gzip, br', 'br'],
      ['identity', null],
    ] as const) {
      const again = await get('/schema.graphql', { 'accept-encoding': accepted })
      expect([accepted, again.text === first.text]).toEqual([accepted, true])
      expect(again.headers.get('content-encoding')).toBe(encoding)
      expect(again.headers.get('vary')).toBe('Accept-Encoding')
    }
    const head = await fetch(`${world.url}/schema.graphql`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('may be read by pages of CORS_ORIGINS, and documents need not be', async () => {
    const origin = 'https://app.example.com'
    const world = await startWorld({ env: { CORS_ORIGINS: origin } })
    onTestFinished(world.close)
    const { headers } = await fetch(`${world.url}/schema.graphql`, { headers: { origin } })
    expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([
      origin,
      'Origin, Accept-Encoding',
    ])
    const page = await fetch(`${world.url}/docs/api`, { headers: { origin } })
    expect(page.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('/docs', () => {
  it('has every document as a page and as Markdown, and a list of both', async ({ get }) => {
    const index = await get('/docs/')
    expect(index).toMatchObject({ status: 200, type: HTML })
    expect((await get('/docs')).text).toBe(index.text)
    const list = await get('/docs/index.md')
    expect(list).toMatchObject({ status: 200, type: MARKDOWN })
    for (const name of DOCUMENTS) {
      expect(index.text).toContain(`href="/docs/${name}"`)
      expect(list.text).toContain(`](${name}.md): `)
      const page = await get(`/docs/${name}`)
      expect(page).toMatchObject({ status: 200, type: HTML })
      const markdown = await get(`/docs/${name}.md`)
      expect(markdown).toMatchObject({ status: 200, type: MARKDOWN })
      const [title] = matches(markdown.text, /^# (.+)$/gm)
      expect(page.text).toContain(`<title>${title} · Edge Management Portal</title>`)
    }
  })

  it('every link works, with its heading: on pages and in Markdown', async ({ get }) => {
    const seen = new Map<string, string>()
    const waiting = ['/docs/', '/docs/index.md', '/llms.txt', ...DOCUMENTS.map((name) => `/docs/${name}.md`)]
    for (const path of waiting) {
      if (seen.has(path)) continue
      const { status, type, text } = await get(path)
      expect([path, status]).toEqual([path, 200])
      seen.set(path, text)
      const links = type === HTML ? matches(text, /href="([^"]+)"/g) : matches(text, /\]\(([^)\s]+)\)/g)
      const inside = links.map((link) => new URL(link, `http://portal${path}`)).filter(({ host }) => host === 'portal')
      for (const { pathname, hash } of inside) {
        if (['/', '/icon.svg'].includes(pathname)) continue // they belong to the web interface
        if (!seen.has(pathname)) waiting.push(pathname)
        const target = hash && pathname.endsWith('.md') ? pathname.slice(0, -3) : pathname
        if (hash) expect((await get(target)).text, `${path} → ${pathname}${hash}`).toContain(`id="${hash.slice(1)}"`)
      }
    }
    expect([...seen.keys()]).toContain('/docs/examples/rotate-key.sh')
    expect(seen.size).toBeGreaterThan(2 * DOCUMENTS.length)
  })

  it('runs nothing and loads nothing from elsewhere', async ({ get }) => {
    for (const path of ['/docs/', ...DOCUMENTS.map((name) => `/docs/${name}`)]) {
      const { text, headers } = await get(path)
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'; img-src 'self';")
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:|<img/i)
      expect(matches(text, /<link[^>]+href="([^"]+)"/g).every((link) => /^\/(?!\/)/.test(link))).toBe(true)
    }
    expect(await get('/docs/style.css')).toMatchObject({ status: 200, type: 'text/css; charset=utf-8' })
  })

  it('a client that asks for Markdown gets it, a browser a page', async ({ get }) => {
    const types = [
      ['text/markdown', MARKDOWN],
      ['text/markdown, text/html;q=0.5', MARKDOWN],
      ['text/html,application/xhtml+xml,*/*;q=0.8', HTML],
      ['text/html, text/markdown', HTML],
      ['*/*', HTML],
    ]
    for (const [accept, type] of types) {
      const { headers, ...answer } = await get('/docs/errors', { accept })
      expect(answer, accept).toMatchObject({ status: 200, type })
      expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
    }
  })

  it('there is nothing else', async ({ get }) => {
    for (const path of [
      '/docs/none',
      '/docs/none.md',
      '/docs/index',
      '/docs/api.html',
      '/docs/API.md',
      '/docs/readme.md',
      '/docs/decisions/0001-stack.md',
      '/docs/images/phone.png',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e/package.json',
      '/docs/constructor',
    ]) {
      expect(await get(path), path).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' })
    }
  })
})

it('/llms.txt begins with a title and a summary, and lists documents with absolute links', async ({ world, get }) => {
  const { status, type, text } = await get('/llms.txt')
  expect([status, type]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toMatch(/^# Edge Management Portal\n\n> [^\n]+\n\n/)
  const sections = text.split(/^## /m).slice(1)
  expect(sections.map((section) => section.split('\n')[0])).toEqual(['Documents', 'Schema', 'Optional'])
  for (const line of sections.flatMap((section) => section.trim().split('\n').slice(2))) {
    expect(line).toMatch(new RegExp(`^- \\[[^\\]]+\\]\\(${world.url}/(docs/[\\w-]+\\.md|schema\\.graphql)\\): \\S`))
  }
  expect(text).toContain(`POST ${world.url}/graphql`)
})

it('/robots.txt allows the documents, and nothing of the portal itself', async ({ get }) => {
  const { status, text } = await get('/robots.txt')
  expect(status).toBe(200)
  expect(text).toBe('User-agent: *\nAllow: /docs/\nAllow: /llms.txt\nAllow: /schema.graphql\nDisallow: /\n')
})

it.for(['/schema.graphql', '/docs', '/docs/', '/docs/api', '/llms.txt', '/robots.txt'])(
  '%s is read only: another method answers 405 and says which there are',
  async (path, { world }) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await fetch(`${world.url}${path}`, { method, body: method === 'DELETE' ? null : 'x' })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      expect(await response.json()).toMatchObject({ errors: [{ message: 'Use GET. The API is at POST /graphql.' }] })
    }
  },
)
