import type { Config } from '../config.ts'

export type Headers = Readonly<Record<string, string>>

const HSTS = 'max-age=31536000; includeSubDomains' // a year

/**
 * What every answer says, whatever it is an answer to and whoever gives it. Files of the web interface, which may be kept, say so
 * in place of `no-store`.
 */
export const headersOfAll = ({ baseUrl }: Pick<Config, 'baseUrl'>): Headers => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...(baseUrl?.protocol === 'https:' && { 'strict-transport-security': HSTS }), // on plain http it means nothing
})
