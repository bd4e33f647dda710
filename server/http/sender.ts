import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Config } from '../config.ts'

/** From where a request comes: as the connection says, or as proxies do that are trusted. */
export interface SenderOf {
  address(request: IncomingMessage): string
}

/** By the rules of Fastify, which the other doors go by. What a request says of the portal's own address is never asked. */
export function createSenderOf({ trustProxy }: Pick<Config, 'trustProxy'>): SenderOf {
  if (trustProxy === false) return { address: ({ socket }) => socket.remoteAddress ?? '' }
  const isTrusted = trustProxy === true ? () => true : proxyAddr.compile(trustProxy)
  return { address: (request) => proxyAddr(request, isTrusted) }
}
