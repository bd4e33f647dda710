import type { IncomingHttpHeaders } from 'node:http'
import { isObject } from '../../lib/is-object.ts'
import { type Message, RefusedMessage, RPC } from './json-rpc.ts'

/** Versions whose clients agree on one by `initialize`, the newest first. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
/** Versions whose clients name theirs in each request, and repeat in headers what they call. */
export const IN_EACH_REQUEST = ['2026-07-28']

const VERSION = 'io.modelcontextprotocol/protocolVersion'

/** The version to go on with: the one that the client asks for, or else the newest. */
export const agreedVersion = (requested: unknown) =>
  WITH_HANDSHAKE.find((version) => version === requested) ?? WITH_HANDSHAKE[0]

/** Whether the request is in a version without a handshake; refuses versions that are not known. */
export function namesItsVersion({ id, method, params }: Message, headers: IncomingHttpHeaders): boolean {
  const meta = params['_meta']
  const claimed = isObject(meta) ? meta[VERSION] : undefined
  const named = headers['mcp-protocol-version']
  if (method === 'initialize') return false
  if (claimed === undefined && (named === undefined || WITH_HANDSHAKE.includes(String(named)))) return false
  const version = claimed ?? named
  if (!IN_EACH_REQUEST.some((known) => known === version)) throw unsupported(id, version)
  if (claimed === undefined)
    throw new RefusedMessage({ id, code: RPC.invalidParams, message: `params._meta: the field ${VERSION}.` })
  requireHeader('MCP-Protocol-Version', named, claimed, id)
  requireHeader('Mcp-Method', headers['mcp-method'], method, id)
  if (method === 'tools/call') requireHeader('Mcp-Name', headers['mcp-name'], params['name'], id)
  return true
}

function unsupported(id: Message['id'], version: unknown): RefusedMessage {
  const requested = typeof version === 'string' ? version.slice(0, 20) : ''
  const data = { supported: IN_EACH_REQUEST, requested }
  return new RefusedMessage({ id, code: RPC.unsupportedVersion, message: 'Unsupported protocol version.', data })
}

function requireHeader(name: string, header: unknown, value: unknown, id: Message['id']): void {
  if (header === value) return
  throw new RefusedMessage({ id, code: RPC.headerMismatch, message: `The header ${name} is not what the body says.` })
}
