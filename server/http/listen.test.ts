import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { fastify } from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { OperatorError } from '../lib/app-error.ts'
import { listen, requireFreePort } from './listen.ts'

it('says what to do when the port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo // it listens on a port
  await expect(requireFreePort({ host: '127.0.0.1', port })).rejects.toThrow(
    new OperatorError(
      `Port ${port} is taken: stop the program that uses it, or set PORT to another number, as in PORT=4001.`,
    ),
  )
})

it.each(['203.0.113.7', 'nowhere.invalid'])('says what to do when HOST is %s', async (host) => {
  const words = 'is no address of this machine: set it to 127.0.0.1, or to 0.0.0.0 to be reached from others.'
  await expect(requireFreePort({ host, port: 0 })).rejects.toThrow(new OperatorError(`HOST ${host} ${words}`))
})

it('returns a URL that can be clicked, also when it listens on all addresses', async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  const hosts = ['0.0.0.0', ...(addresses.some(({ family }) => family === 'IPv6') ? ['::'] : [])]
  for (const host of hosts) {
    const app = fastify()
    onTestFinished(() => app.close())
    app.get('/', () => 'here')
    const url = await listen(app, { host, port: 0 })
    expect(url).toMatch(/^http:\/\/(127\.0\.0\.1|localhost):\d+$/)
    expect(await (await fetch(url)).text()).toBe('here')
  }
})
