import { expect, it } from 'vitest'
import { createDestinations } from './destinations.ts'

const behindProxy = createDestinations({
  webhookNetworks: [],
  baseUrl: new URL('https://portal.example.com:8443'),
  port: 4000,
})

it.for([
  ['https://portal.example.com:8443/graphql', true],
  ['https://portal.example.com.:8443/', true],
  ['https://portal.example.com/', true],
  ['http://portal.example.com/', true],
  ['http://portal.example.com:443/', true],
  ['https://portal.example.com:9443/', false],
  ['https://hooks.example.com:8443/', false],
] as const)('behind a proxy with a port of its own, %s is the portal itself: %s', ([url, isItself]) => {
  expect(behindProxy.refusalOf(new URL(url))).toBe(isItself ? 'this is the portal itself.' : undefined)
})

it.for([
  ['127.0.0.2/32', 'http://127.0.0.2:9000/', true],
  ['127.0.0.2/32', 'http://127.0.0.1:9000/', false],
  ['127.0.0.1/32', 'http://127.0.0.2:9000/', false],
  ['127.0.0.1/32', 'http://localhost:9000/', true],
  ['::1/128', 'http://[::1]:9000/', true],
  ['::1/128', 'http://127.0.0.1:9000/', false],
] as const)('where %s is allowed, %s is: %s', ([network, url, isAllowed]) => {
  const destinations = createDestinations({ webhookNetworks: [network], baseUrl: undefined, port: 4000 })
  expect(destinations.refusalOf(new URL(url)) === undefined).toBe(isAllowed)
})
