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
