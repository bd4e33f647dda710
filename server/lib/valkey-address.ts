const SCHEME = /^(valkey|redis)s?:$/
const DATABASE = /^(\/\d{0,4})?$/

/** `valkey://user:password@host:port/database`, or `valkeys` for TLS; `redis` and `rediss` mean the same. */
export function parseValkeyUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !SCHEME.test(url.protocol) || url.hostname === '' || !DATABASE.test(url.pathname)) return undefined
  return url.search || url.hash || !isDecodable(url.username + url.password) ? undefined : url
}

export function valkeyAddress({ protocol, hostname, port, username, password, pathname }: URL) {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    db: Number(pathname.slice(1)),
    ...(/^(valkeys|rediss):$/.test(protocol) && { tls: {} }),
  }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
