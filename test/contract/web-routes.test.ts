import { describe, expect, it } from 'vitest'
import { WEB_ROUTES } from '../../server/http/web-routes.ts'
import { webLinks } from '../../server/mail/web-links.ts'
import { keysOf, paths } from '../../web/paths.ts'
import { pathsOfWebRoutes } from '../support/browser/web-routes.ts'

const SLUG = 'acme'
const ID = '01k9x0000000000000000000aa'

const PATTERNS = WEB_ROUTES.map((route) => new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`))
const isServed = (address: string) => {
  const { pathname } = new URL(address, 'http://portal')
  return PATTERNS.some((pattern) => pattern.test(pathname))
}

it('the server knows every route of the web interface, and no other: it answers 404 for the rest', () => {
  const inWeb = pathsOfWebRoutes()
  expect(inWeb).toContain('/$slug/users/api-keys') // a route inside another is found
  expect([...WEB_ROUTES].sort()).toEqual(inWeb.sort())
})

describe('every link of the web interface leads to one of its routes', () => {
  it.each(Object.entries(paths))('%s', (_name, build: (...parts: string[]) => string) => {
    expect(isServed(build(SLUG, ID))).toBe(true)
  })

  it.each(['/acme', '/acme/nothing', `/acme/devices/${ID}/nothing`, '/acme/api-key'])('and %s is not', (path) => {
    expect(isServed(path)).toBe(false)
  })

  it.each(['PERSONAL', 'ORGANIZATION'])('the keys of an account: %s', (kind) => {
    for (const apiKeysEnabled of [true, false]) {
      expect(isServed(keysOf({ slug: SLUG, kind, apiKeysEnabled }, [ID]))).toBe(true)
    }
  })
})

describe('every link of an email leads to a page of the web interface', () => {
  const ORIGIN = 'http://portal'
  const organization = { slug: SLUG, kind: 'ORGANIZATION' } as const
  const person = { slug: SLUG, kind: 'PERSONAL' } as const

  it.each<[link: string, path: string]>([
    [webLinks.apiKeys(ORIGIN, organization), paths.usersApiKeys(SLUG)],
    [webLinks.apiKeys(ORIGIN, person), paths.profileApiKeys(SLUG)],
    [webLinks.apiKeyChanges(ORIGIN, SLUG, ID), paths.apiKeyChanges(SLUG, ID)],
    [webLinks.audit(ORIGIN, SLUG), paths.audit(SLUG)],
    [webLinks.webhook(ORIGIN, SLUG, ID), paths.webhook(SLUG, ID)],
    [webLinks.invitation(ORIGIN, 'token'), '/invitations#token'],
    [webLinks.resetPassword(ORIGIN, 'token'), '/reset-password#token'],
    [webLinks.verifyEmail(ORIGIN, 'token'), '/verify-email#token'],
  ])('%s', (link, path) => {
    expect(link).toBe(`${ORIGIN}${path}`)
    expect(isServed(link)).toBe(true)
  })
})
