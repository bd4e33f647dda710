import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Config } from '../config.ts'

/** From where a request comes: as the connection says, or as proxies do that are trusted. */
export interface SenderOf {
  address(request: IncomingMessage): string
  /** The origin under which the portal was reached. */
  origin(request: IncomingMessage): string
}

/** By the rules of Fastify, which the other doors go by: of several values the one that the nearest proxy has added. */
export function createSenderOf({ trustProxy }: Pick<Config, 'trustProxy'>): SenderOf {
  if (trustProxy === false) {
    return {
      address: ({ socket }) => socket.remoteAddress ?? '',
      origin: ({ headers }) => `http://${headers.host ?? ''}`,
    }
  }
  const isTrusted = trustProxy === true ? () => true : proxyAddr.compile(trustProxy)
  return {
    address: (request) => proxyAddr(request, isTrusted),
    origin({ headers, socket }) {
      const told = isTrusted(socket.remoteAddress ?? '', 0)
      const protocol = (told && lastOf(headers['x-forwarded-proto'])) || 'http'
      const host = (told && lastOf(headers['x-forwarded-host'])) || (headers.host ?? '')
      return `${protocol}://${host}`
    },
  }
}

const lastOf = (header: string | string[] | undefined) =>
  String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim()
