import type { Config } from '../config.ts'

export type Headers = Readonly<Record<string, string>>

const HSTS = 'max-age=31536000; includeSubDomains' // a year

/** The headers of every response. Files of the web interface, which may be cached, replace `no-store`. */
export const headersOfAll = ({ baseUrl }: Pick<Config, 'baseUrl'>): Headers => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...(baseUrl?.protocol === 'https:' && { 'strict-transport-security': HSTS }), // has no effect on plain http
})
