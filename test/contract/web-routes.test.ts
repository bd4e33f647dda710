import { expect, it } from 'vitest'
import { WEB_ROUTES } from '../../server/http/web-routes.ts'
import { paths } from '../../web/paths.ts'
import { pathsOfWebRoutes } from '../support/web-routes.ts'

it('the server knows every route of the web interface, and no other: it answers 404 for the rest', () => {
  const inWeb = pathsOfWebRoutes()
  expect(inWeb).toContain('/$slug/users/api-keys') // a route inside another is found
  expect([...WEB_ROUTES].sort()).toEqual(inWeb.sort())
})

it('every link of the web interface leads to one of its routes, or to a document', () => {
  const patterns = WEB_ROUTES.map((route) => new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`))
  for (const [name, path] of Object.entries(paths)) {
    const address = (path as (...parts: string[]) => string)('acme', 'x') // each takes as many as it needs
    const [plain = ''] = address.split('?')
    const leads = plain.startsWith('/docs/') || patterns.some((pattern) => pattern.test(plain))
    expect(leads, `${name}: ${address}`).toBe(true)
  }
})
