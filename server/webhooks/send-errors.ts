import { codeOf } from '../lib/error-text.ts'

export class AddressRefused extends Error {
  constructor() {
    super(
      'The URL leads to a private or reserved address. Only public ones are connected to, and those that the operator allows with WEBHOOK_NETWORKS.',
    )
  }
}

export class AnswerTooLong extends Error {
  constructor(message = 'Too much was sent before the body of the answer: certificates, headers and the like.') {
    super(message)
  }
}

export const NOT_FOLLOWED = (status: number) =>
  `The receiver answered with the status ${status}, a redirect, which is not followed: give the URL that it leads to.`

const BY_CODE: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before there was an answer.',
  EPIPE: 'The connection was closed before there was an answer.',
  EPROTO:
    'No TLS connection could be made: the receiver speaks none at this port, or neither TLS 1.3 nor 1.2 with ECDHE.',
  ETIMEDOUT: 'The connection could not be made in time.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ENOTFOUND: 'The name of the host is not known.',
  ENODATA: 'The name of the host has no address.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  ETIMEOUT: 'The name of the host could not be looked up in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too large.',
}

/** Why an attempt has failed, for an Admin: the name of the problem, and nothing of the answer. */
export function inWords(error: unknown): string {
  if (error instanceof AddressRefused || error instanceof AnswerTooLong) return error.message
  if (!(error instanceof Error)) return 'The request failed.'
  if (error.name === 'TimeoutError') return 'There was no answer in time.'
  if (error instanceof AggregateError && error.errors.length > 0) return inWords(error.errors[0])
  const code = codeOf(error)
  const known = BY_CODE[code]
  if (known) return known
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP.'
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER/.test(code))
    return `The certificate or the TLS connection is not valid (${code}).`
  return code ? `The request failed (${code}).` : 'The request failed.'
}
