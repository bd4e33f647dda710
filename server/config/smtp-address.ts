import { AppError } from '../lib/app-error.ts'
import { checkEmail } from '../lib/check.ts'

const SHAPE = 'must be like smtp://user:password@mail.example.com:587?from=portal@example.com'
const PORTS = { 'smtp:': 587, 'smtps:': 465 }

/** A parsed address such as `smtps://user:password@mail.example.com?from=portal@example.com`. */
export interface SmtpAddress {
  host: string
  port: number
  /** TLS from the first byte on; otherwise STARTTLS if the server offers it. */
  secure: boolean
  login: { user: string; password: string } | undefined
  from: string
}

/** Reads SMTP_URL. A text says what is wrong with it, and repeats nothing but the name of a parameter. Without `from`, the sender is `portal` at the given host. */
export function readSmtpAddress(text: string, ownHost: string): SmtpAddress | string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !isScheme(url.protocol) || !url.hostname || !['', '/'].includes(url.pathname) || url.hash) return SHAPE
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'from')
  if (unknown !== undefined) return `has a parameter that is not known, ${unknown}: there is from`
  const [from, another] = url.searchParams.getAll('from')
  if (another !== undefined) return 'has the parameter from twice'
  const sender = from === undefined ? `portal@${ownHost}` : emailOf(from)
  if (!sender) return 'has a parameter from that is not an email address such as portal@example.com'
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
    if (error instanceof AppError) return undefined
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
