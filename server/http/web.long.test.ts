import { readdirSync, readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { builtWeb } from '../../test/support/browser/built-web.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { WEB_ROUTES } from './web-routes.ts'

const NOT_FOUND = { errors: [{ extensions: { code: 'NOT_FOUND' } }] }

interface RawAnswer {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: Buffer
}

const it = inWorld(startWithPages)
  .extend(
    'get',
    { scope: 'file' },
    ({ world }) =>
      (path: string, init?: RequestInit) =>
        fetch(`${world.url}${path}`, init),
  )
  .extend('raw', { scope: 'file' }, ({ world }) => rawFrom(world))

async function startWithPages() {
  const { webDir, remove } = await builtWeb()
  const world = await startWorld({ webDir })
  return {
    ...world,
    webDir,
    script: `/assets/${readdirSync(join(webDir, 'assets')).find((name) => /^index-.*\.js$/.test(name))}`,
    close: async () => {
      await world.close()
      remove()
    },
  }
}

describe('the web interface, as served', () => {
  it('answers every path of the web interface with the page, which is never cached', async ({ get }) => {
    const all = WEB_ROUTES.map((path) => path.replace('$slug', 'acme-edge-2').replace(/\$\w+/, 'x'.repeat(60)))
    for (const path of [...all, '/acme/devices?search=a', '/acme/devices/']) {
      const answer = await get(path)
      expect({ path, status: answer.status, type: answer.headers.get('content-type') }).toEqual({
        path,
        status: 200,
        type: 'text/html; charset=utf-8',
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  it('lets files named by their content be cached for a year, and revalidates the rest', async ({
    world,
    get,
    raw,
  }) => {
    expect((await get(world.script)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const icon = await raw('/icon.svg')
    expect(icon.headers['cache-control']).toBe('no-cache')
    const again = await raw('/icon.svg', { 'if-none-match': icon.headers.etag ?? '' })
    expect(again.status).toBe(304)
  })

  it('sends files compressed at build time, in an encoding that the browser accepts', async ({ world, raw }) => {
    const { webDir, script } = world
    const plain = readFileSync(join(webDir, script))
    const brotli = await raw(script, { 'accept-encoding': 'gzip, deflate, br' })
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.body).equals(plain)).toBe(true)
    const gzip = await raw(script, { 'accept-encoding': 'gzip' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.body).equals(plain)).toBe(true)
    const none = await raw(script)
    expect(none.headers['content-encoding']).toBeUndefined()
    expect(none.body.equals(plain)).toBe(true)
    expect(none.headers.vary).toMatch(/accept-encoding/i)
    const types = [brotli, gzip, none].map(({ headers }) => headers['content-type'])
    expect(types).toEqual(Array(3).fill('application/javascript; charset=utf-8'))
    const again = await raw(script, { 'accept-encoding': 'br', 'if-none-match': brotli.headers.etag ?? '' })
    expect(again).toMatchObject({ status: 304, headers: { vary: expect.stringMatching(/accept-encoding/i) } })
  })

  it('runs nothing inline and loads nothing from other hosts; style tags need the nonce of the page', async ({
    get,
  }) => {
    const [first, second] = await Promise.all([get('/'), get('/')])
    const policy = first.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const nonce = /style-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1]
    const page = await first.text()
    expect(page).toContain(`nonce="${nonce}"`)
    expect(second.headers.get('content-security-policy')).not.toContain(nonce)
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/)
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//)
  })

  it('sends HSTS only with an https BASE_URL', async ({ world, get }) => {
    const headers = ['strict-transport-security', 'cross-origin-opener-policy', 'origin-agent-cluster']
    const onHttp = await get('/')
    expect(headers.map((name) => onHttp.headers.get(name))).toEqual([null, null, null])
    expect(onHttp.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests')
    expect(onHttp.headers.get('x-content-type-options')).toBe('nosniff')
    const secure = await startWorld({ webDir: world.webDir, env: { BASE_URL: 'https://portal.example.com' } })
    const onHttps = await fetch(secure.url)
    await secure.close()
    expect(headers.map((name) => onHttps.headers.get(name) !== null)).toEqual([true, true, true])
  })

  it('tells the page whether sign-up is on', async ({ world, get }) => {
    expect(await (await get('/sign-up')).text()).toContain('<meta name="sign-up" content="on" />')
    const closed = await startWorld({ webDir: world.webDir, env: { SIGN_UP: 'off' } })
    const page = await (await fetch(`${closed.url}/sign-up`)).text()
    await closed.close()
    expect(page).toContain('<meta name="sign-up" content="off" />')
  })

  it('tells the page whether the portal sends email', async ({ world, get }) => {
    expect(await (await get('/sign-in')).text()).toContain('<meta name="mail" content="off" />')
    const env = { SMTP_URL: 'smtp://localhost?from=portal@example.com', BASE_URL: 'http://portal.example.com' }
    const sending = await startWorld({ webDir: world.webDir, env })
    const page = await (await fetch(`${sending.url}/sign-in`)).text()
    await sending.close()
    expect(page).toContain('<meta name="mail" content="on" />')
  })

  it('answers 404 where there is nothing: a page for a person, JSON for a client, never the page of the app', async ({
    raw,
  }) => {
    for (const path of [
      '/nothing.php',
      '/nothing/at/all',
      '/index.html',
      '/wp-admin/',
      '/.env',
      '/acme',
      '/acme/nothing',
      '/acme/users/nothing',
      '/acme/devices/1/2',
      '/Acme/devices',
      '/auth/users',
      '/health/settings',
      '/docs/none',
      '/docs/devices',
      '/assets/index-OLD.js', // from an older build: a page in its place would be run as a script
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/..%2f.built-from',
    ]) {
      const client = await raw(path)
      expect({ path, status: client.status }).toEqual({ path, status: 404 })
      expect(JSON.parse(client.body.toString())).toMatchObject(NOT_FOUND)
      const person = await raw(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      const text = person.body.toString()
      expect({ path, status: person.status }).toEqual({ path, status: 404 })
      expect(text).toContain('<h1>Not found</h1>')
      expect(text).not.toContain('id="root"')
      expect(person.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        vary: expect.stringContaining('Accept'),
      })
    }
  })

  it('serves no file but its own', async ({ raw }) => {
    for (const path of [
      '/.built-from',
      '/..%2f..%2fpackage.json',
      '/../package.json',
      '/%2e%2e/package.json',
      '/x/../../package.json',
      '/index.html%00.js',
    ]) {
      const text = (await raw(path)).body.toString()
      expect(text, path).not.toMatch(/^[0-9a-f]{64}$/)
      expect(text, path).not.toContain('edge-management-portal')
    }
  })

  it('answers HEAD like GET, without a body', async ({ world, get }) => {
    for (const path of ['/', world.script]) {
      const answer = await get(path, { method: 'HEAD' })
      expect({ path, status: answer.status, body: await answer.text() }).toEqual({ path, status: 200, body: '' })
    }
  })

  it('does not affect the API: other methods are 404 in JSON, GET /graphql without a key is 401', async ({ get }) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await get('/acme/users', { method })
      expect({ method, status: answer.status }).toEqual({ method, status: 404 })
      expect(await answer.json()).toMatchObject(NOT_FOUND)
    }
    const api = await get('/graphql?query={viewer{role}}')
    expect(api.status).toBe(401)
    expect(await api.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
  })
})

/** As the path is spelled and the bytes come: fetch would tidy up both. */
const rawFrom =
  ({ url }: World) =>
  (path: string, headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(url)
    return new Promise<RawAnswer>((resolve, reject) => {
      request({ hostname, port, path, headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }),
        )
      })
        .on('error', reject)
        .end()
    })
  }
