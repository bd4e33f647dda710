import type { Config } from '../config.ts'

export type Headers = Readonly<Record<string, string>>

/** In every response, as in the errors and in the log. It is always the portal's own: one that a client sends could be that of another request. */
export const REQUEST_ID = 'x-request-id'

const HSTS = 'max-age=31536000; includeSubDomains' // a year

/** The headers of every response. Files of the web interface, which may be cached, replace `no-store`. */
export const headersOfAll = ({ baseUrl }: Pick<Config, 'baseUrl'>): Headers => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...(baseUrl?.protocol === 'https:' && { 'strict-transport-security': HSTS }), // has no effect on plain http
})
