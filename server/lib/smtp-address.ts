import { checkEmail } from './check.ts'
import { Failure } from './failure.ts'

const SHAPE = 'must be like smtp://user:password@mail.example.com:587?from=portal@example.com'
const PORTS = { 'smtp:': 587, 'smtps:': 465 }

/** What an address such as `smtps://user:password@mail.example.com?from=portal@example.com` says. */
export interface SmtpAddress {
  host: string
  port: number
  /** TLS from the first byte on; else it is begun when the server offers it. */
  secure: boolean
  login: { user: string; password: string } | undefined
  /** Who the letters are from. */
  from: string
}

/** Reads an address, or says what is wrong with it in words that repeat none of it but the name of a parameter. */
export function readSmtpAddress(text: string): SmtpAddress | string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !isScheme(url.protocol) || !url.hostname || !['', '/'].includes(url.pathname) || url.hash) return SHAPE
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'from')
  if (unknown !== undefined) return `has a parameter that is not known, ${unknown}: there is from`
  const from = url.searchParams.getAll('from')
  if (from.length !== 1) return 'needs the parameter from, the address that letters are from: ?from=portal@example.com'
  const sender = emailOf(from[0] ?? '')
  if (!sender) return 'has a parameter from that is no e-mail address such as portal@example.com'
  const user = decode(url.username)
  const password = decode(url.password)
  if (user === undefined || password === undefined) return SHAPE
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || PORTS[url.protocol]),
    secure: url.protocol === 'smtps:',
    login: user ? { user, password } : undefined,
    from: sender,
  }
}

const isScheme = (protocol: string): protocol is keyof typeof PORTS => protocol in PORTS

function emailOf(text: string): string | undefined {
  try {
    return checkEmail('from', text)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
