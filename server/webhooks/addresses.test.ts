import { once } from 'node:events'
import { type AddressInfo, connect, createServer, isIP } from 'node:net'
import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { startReceiver } from '../../test/support/world/webhook-receiver.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { createDestinations, isPublic } from './destinations.ts'
import { createResolve } from './resolve.ts'
import { send } from './send.ts'

const it = inOrganization(startWebhookWorld).extend('receiver', ({ world }) => {
  world.receiver.received.length = 0
  return world.receiver
})

const allowed = createDestinations({ webhookNetworks: ['127.0.0.1/32'], baseUrl: undefined, port: 4000 })

describe('an address', () => {
  const nothingAllowed = createDestinations({ webhookNetworks: [], baseUrl: undefined, port: 4000 })
  const REFUSED = 'The URL leads to a private or reserved address.'
  const message = (url: string) => ({ url, headers: {}, body: '{}' })

  it('that a name leads to is judged where it is connected to', async ({ receiver }) => {
    const resolve = createResolve()
    const url = `http://localhost:${receiver.port}/`
    expect((await send(message(url), { destinations: nothingAllowed, resolve })).error).toContain(REFUSED)
    const rebinding = async () => ['127.0.0.1', '::1', '169.254.169.254']
    const sent = await send(message(`http://hooks.example:${receiver.port}/`), {
      destinations: nothingAllowed,
      resolve: rebinding,
    })
    expect(sent).toEqual({ status: null, error: expect.stringContaining(REFUSED) })
    expect(receiver.received).toEqual([])
  })

  it('that is not allowed gets no connection from a name', async () => {
    let connections = 0
    const server = createServer(() => connections++).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const resolve = async () => ['127.0.0.1']
    await send(message(`http://hooks.example:${port}/`), { destinations: nothingAllowed, resolve })
    const own = connect(port, '127.0.0.1')
    await once(server, 'connection') // accepted after whatever came before it
    own.destroy()
    server.close()
    expect(connections).toBe(1)
  })

  it('that is not allowed gets nothing, whatever has led to the connection', async ({ receiver }) => {
    const destinations = { ...nothingAllowed, refusalOf: () => undefined }
    const sent = await send(message(receiver.url), { destinations, resolve: createResolve() }) // no name to look up
    expect(sent).toEqual({ status: null, error: expect.stringContaining(REFUSED) })
    expect(receiver.received).toEqual([])
  })

  it('is looked up once, so that it cannot change in between', async ({ receiver }) => {
    receiver.answerStatus(200)
    let lookups = 0
    const resolve = async () => (++lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'])
    const { status } = await send(message(`http://hooks.example:${receiver.port}/`), { destinations: allowed, resolve })
    expect([status, lookups]).toEqual([200, 1])
  })

  it('is among the first four of its family, or not tried', async () => {
    const gone = await startReceiver()
    await gone.close()
    const judged: string[] = []
    const destinations = {
      refusalOf: () => undefined,
      allows: (address: string) => judged.push(address) > 0,
    }
    const resolve = async () => Array.from({ length: 4_000 }, (_, i) => `127.0.${i >> 8}.${i & 255}`)
    const before = process.threadCpuUsage()
    const { error } = await send(message(`http://hooks.example:${gone.port}/`), { destinations, resolve })
    const { user, system } = process.threadCpuUsage(before)
    expect(error).toBe('The connection was refused.')
    expect(judged).toEqual(['127.0.0.0', '127.0.0.1', '127.0.0.2', '127.0.0.3'])
    expect((user + system) / 1_000).toBeLessThan(100)
  })

  it('among thousands of private ones is found to be private at once', async () => {
    const resolve = async () =>
      Array.from({ length: 6_000 }, (_, i) => (i % 2 ? `10.0.${i >> 8}.${i & 255}` : `fd00::${i}`))
    const before = process.threadCpuUsage()
    const { error } = await send(message('http://hooks.example/'), { destinations: nothingAllowed, resolve })
    const { user, system } = process.threadCpuUsage(before)
    expect(error).toContain(REFUSED)
    expect((user + system) / 1_000).toBeLessThan(100)
  })

  it('of the portal itself is refused, also where its network is allowed', async ({ world, acme }) => {
    const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }'
    const input = { url: `${world.url}/graphql`, events: ['DEVICE_CREATED'] }
    expect((await acme.call(create, { input })).errors).toMatchObject([{ code: 'BAD_USER_INPUT' }])
    const name = { url: `http://localhost:${world.config.port}/`, headers: {}, body: '{}' }
    const destinations = createDestinations(world.config)
    expect((await send(name, { destinations, resolve: createResolve() })).error).toContain(REFUSED)
  })

  it('of the portal by its name is refused also when it became that after the webhook was created', async ({
    receiver,
  }) => {
    const baseUrl = new URL(`http://portal.example:${receiver.port}`) // a proxy, at another address than the portal
    const destinations = createDestinations({ webhookNetworks: ['127.0.0.1/32'], baseUrl, port: 4000 })
    const { error } = await send(message(baseUrl.href), { destinations, resolve: async () => ['127.0.0.1'] })
    expect(error).toContain(REFUSED)
    expect(receiver.received).toEqual([])
  })

  it.for([
    ['https://portal.example.com', 'https://portal.example.com:4000/', true],
    ['https://portal.example.com', 'http://portal.example.com./', true],
    ['https://portal.example.com:8443', 'https://portal.example.com:8443/', true],
    ['https://portal.example.com', 'https://portal.example.com:8443/', false],
    ['https://93.184.216.34:8443', 'https://[::ffff:93.184.216.34]:8443/', true],
    ['https://93.184.216.34', 'http://93.184.216.34:4000/', true],
    ['https://[2606:4700::1]', 'https://[2606:4700:0:0::1]/', true],
    ['https://93.184.216.34', 'https://93.184.216.35/', false],
  ] as const)('with BASE_URL=%s, %s is the portal itself: %s', ([baseUrl, url, isPortal]) => {
    const { refusalOf, allows } = createDestinations({ webhookNetworks: [], baseUrl: new URL(baseUrl), port: 4000 })
    expect(refusalOf(new URL(url))).toBe(isPortal ? 'this is the portal itself.' : undefined)
    const { hostname, port } = new URL(url)
    const address = hostname.replace(/^\[|\]$/g, '')
    if (isIP(address)) expect(allows(address, Number(port) || 443)).toBe(!isPortal) // where a name leads to it
  })

  it.for([
    ['8.8.8.8', true],
    ['2606:4700:4700::1111', true],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['172.31.255.255', false],
    ['192.168.0.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['100.100.100.200', false],
    ['168.63.129.16', false],
    ['192.0.0.192', false],
    ['198.18.0.1', false],
    ['224.0.0.1', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::127.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::ffff:8.8.8.8', true],
    ['::ffff:0:7f00:1', false],
    ['64:ff9b::a00:1', false],
    ['64:ff9b:1::1', false],
    ['2002:7f00:1::', false],
    ['2001::1', false],
    ['2001:db8::1', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['hooks.example', false],
  ] as const)('%s is public: %s', ([address, expected]) => {
    expect(isPublic(address)).toBe(expected)
  })
})
