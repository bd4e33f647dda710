import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { stringifySearch } from '../route-search.ts'
import { apiKeySecretIn, hasSecret, withoutSecrets } from './secret-text.ts'

const START = readFileSync(join(import.meta.dirname, '..', 'public', 'start.js'), 'utf8')
const RANDOM = 'XTimVn9JpI5fLHMAcC58ZwosnvrvZ6k3tKCxQ2Wu0By7Ges1q'
const KEY = `emp_${RANDOM}`
const WEBHOOK = `whsec_${'aB3+/xYz'.repeat(5)}abc=`

const wrapped = (text: string, every: number, by: string) =>
  text.match(new RegExp(`.{1,${every}}`, 'g'))?.join(by) ?? ''

/** How the secret of a key arrives when it is copied from somewhere. */
const COPIED: [how: string, text: string][] = [
  ['as it is', KEY],
  ['with blanks', wrapped(KEY, 16, ' ')],
  ['with blanks everywhere', wrapped(KEY, 1, ' ')],
  ['in lines', wrapped(KEY, 16, '\r\n')],
  ['in lines that go on', wrapped(KEY, 16, '\\\n')],
  ['with zero-width spaces', wrapped(KEY, 8, '\u200b')],
  ['with soft hyphens', wrapped(KEY, 8, '\u00ad')],
  ['with variation selectors', wrapped(KEY, 8, '\ufe0f')],
  ['from Markdown', KEY.replace('_', '\\_')],
  ['with a full-width line', KEY.replace('_', '＿')],
  ['with a dash', KEY.replace('_', '-')],
  ['with a long dash', KEY.replace('_', '–')],
  ['from an address', KEY.replace('_', '%5f')],
]

const ORDINARY = [
  'temp_sensor in the northern basement of building five',
  'temp-0123456789abcdef0123456789',
  'emp-1042 laptop of Miller',
  'emp_1042 laptop of Miller',
  'ems - station of the northern city',
  '/ems-produktionswerkwolfsburg/devices?search=100%25+ok',
  'C++ \\ 100% ＿ a\u200db',
]

/** The address after the first script of the page. */
function afterStart(pathname: string, search = '', hash = ''): string {
  let address = pathname + search + hash
  runInNewContext(START, {
    location: { pathname, search, hash },
    history: { replaceState: (_state: unknown, _title: string, now: string) => (address = now) },
    localStorage: { getItem: () => 'light' },
    document: { documentElement: { setAttribute: () => {} }, querySelector: () => null },
    addEventListener: () => {},
  })
  return address
}

const visible = (text: string) => decodeURIComponent(text).replace(/[^0-9A-Za-z]/g, '')

describe('the secret of a key', () => {
  it.for(COPIED)('%s is recognized, found whole, and in no address', ([, text]) => {
    expect(hasSecret(text)).toBe(true)
    expect(withoutSecrets(`a ${text}`)).toMatch(/^a( |%20)$/)
    expect(apiKeySecretIn(`# key: ${text}`)).toBe(KEY)
    const written = decodeURIComponent(stringifySearch({ q: text, tags: [text], other: 'x' }))
    expect(written).toBe('?q=&tags=[""]&other=x')
    const encoded = encodeURIComponent(text)
    const next = encodeURIComponent(`/acme/devices?search=${encoded}`)
    for (const address of [
      afterStart('/acme/devices', `?search=${encoded}&other=x`),
      afterStart('/acme/devices', `?next=${next}&other=x`),
      afterStart(`/acme/${encoded}`, '?other=x'),
      afterStart('/acme', '?other=x', `#${encoded}`),
      withoutSecrets(`/sign-in?next=${next}&other=x`),
    ]) {
      expect(visible(address)).not.toContain(KEY.slice(5, 12))
      expect(address).toContain('other=x')
    }
  })

  it('is recognized without its end', () => {
    for (const length of [24, 30, 52]) expect(hasSecret(KEY.slice(0, length))).toBe(true)
    expect(hasSecret(wrapped(KEY.slice(0, 36), 16, ' '))).toBe(true)
    expect(apiKeySecretIn(KEY.slice(0, 52))).toBeUndefined()
  })
})

it.for<[string, string]>([
  ['as it is', WEBHOOK],
  ['with blanks', wrapped(WEBHOOK, 16, ' ')],
  ['from Markdown', WEBHOOK.replace('_', '\\_')],
  ['without its end', WEBHOOK.slice(0, 26)],
])('the secret of a webhook, %s, is recognized and in no address', ([, text]) => {
  expect(hasSecret(text)).toBe(true)
  expect(apiKeySecretIn(text)).toBeUndefined()
  for (const address of [
    stringifySearch({ search: text }),
    afterStart('/acme', `?search=${encodeURIComponent(text)}`),
    afterStart('/acme', `?search=${text}`),
    afterStart('/acme', '', `#${text}`),
  ])
    expect(visible(address)).not.toContain('aB3xYz')
})

it('other texts and addresses stay as they are', () => {
  expect(ORDINARY.map((text) => withoutSecrets(text))).toEqual(ORDINARY)
  expect(ORDINARY.map((text) => afterStart('/acme', `?search=${text}`))).toEqual(
    ORDINARY.map((text) => `/acme?search=${text}`),
  )
})

it('the token of a link behind # is left to its page', () => {
  for (const prefix of ['emi_', 'emr_', 'emv_']) {
    const token = prefix + RANDOM
    expect(afterStart('/link', '', `#${token}`)).toBe(`/link#${token}`)
    expect(afterStart('/link', `?token=${token}`)).toBe('/link?token=')
  }
})
