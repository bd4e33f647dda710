import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { webPages } from '../../server/http/web.ts'
import { WEB_ROUTES } from '../../server/http/web-routes.ts'
import { LOADED_BY_ROUTE } from '../../web/build/first-load.ts'
import { builtWeb } from '../support/browser/built-web.ts'

const MAX_FILES = 12
const MAX_BYTES = 200_000

let webDir = ''
let remove = () => {}

beforeAll(async () => {
  const built = await builtWeb()
  webDir = built.webDir
  remove = built.remove
}, 120_000)
afterAll(() => remove())

describe('P8: the first load of a page', () => {
  it('is known for every route', () => {
    expect(Object.keys(LOADED_BY_ROUTE).sort()).toEqual([...WEB_ROUTES].sort())
  })

  it.for(WEB_ROUTES)('has at most 12 script files, and 200 KB of them gzipped: %s', (route) => {
    const page = webPages(webDir, { signUp: true, smtp: undefined })(route)
    const scripts = new Set([...page.matchAll(/(?:src|href)="\/([\w./-]+\.js)"/g)].map(([, file = '']) => file))
    const bytes = [...scripts].reduce((sum, file) => sum + statSync(join(webDir, `${file}.gz`)).size, 0)
    expect(scripts.size).toBeGreaterThan(2)
    expect(scripts.size).toBeLessThanOrEqual(MAX_FILES)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
  })

  it('is named in the page: every script that it imports, and the styles after the frame', () => {
    const page = webPages(webDir, { signUp: true, smtp: undefined })('/$slug/devices')
    const preloaded = [...page.matchAll(/<link rel="modulepreload" crossorigin href="\/([^"]+)">/g)].map(
      ([, file]) => file,
    )
    for (const file of preloaded) {
      const imported = [...readFileSync(join(webDir, `${file}`), 'utf8').matchAll(/from ?[`"']\.\/([\w.-]+\.js)/g)]
      for (const [, name] of imported) expect(preloaded).toContain(`assets/${name}`)
    }
    expect(page.lastIndexOf('rel="modulepreload"')).toBeLessThan(page.indexOf('</head>'))
    expect(page.indexOf('rel="stylesheet"')).toBeGreaterThan(page.indexOf('class="frame'))
  })
})
