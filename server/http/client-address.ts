import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Config } from '../config.ts'

/** The client's IP address: that of the connection, or as reported by trusted proxies. */
export interface ClientAddress {
  address(request: IncomingMessage): string
}

/** Uses Fastify's rules, as on the other routes. A request never decides what the portal's own address is. */
export function createClientAddress({ trustProxy }: Pick<Config, 'trustProxy'>): ClientAddress {
  if (trustProxy === false) return { address: ({ socket }) => socket.remoteAddress ?? '' }
  const isTrusted = trustProxy === true ? () => true : proxyAddr.compile(trustProxy)
  return { address: (request) => proxyAddr(request, isTrusted) ?? '' } // of a connection that was reset
}
