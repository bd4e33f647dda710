import { expect, it } from 'vitest'
import { VARIABLES } from '../config.ts'
import { suspiciousVariables } from './unknown-variables.ts'

it.each([
  ['RATELIMIT', 'RATE_LIMIT'],
  ['PORTAL_SECRETS', 'PORTAL_SECRET'],
  ['PORTALSECRET_FILE', 'PORTAL_SECRET_FILE'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['SMPT_URL', 'SMTP_URL'],
  ['TRUSTPROXY', 'TRUST_PROXY'],
  ['port', 'PORT'],
  ['BASEURL', 'BASE_URL'],
  ['LEDGER_FILE', 'LEDGER'],
  ['LOGLEVEL', 'LOG_LEVEL'],
])('%s probably means %s', (name, meant) => {
  expect(suspiciousVariables([name])).toMatchObject([{ level: 'warning', action: `Did you mean ${meant}?` }])
})

it('a variable that begins as ours do is reported, whatever it means', () => {
  expect(suspiciousVariables(['PORTAL_COLOUR', 'RETAIN_ALL'])).toHaveLength(2)
})

it('variables of the machine and of other programs are not reported', () => {
  const others = ['HOME', 'HOSTNAME', 'PATH', 'PWD', 'SHELL', 'USER', 'LANG', 'TERM', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS']
  const more = ['REPORT', 'HTTPS_PROXY', 'npm_lifecycle_event', 'MAIL', 'LOGNAME', 'SSH_CLIENT', 'POST']
  expect(suspiciousVariables([...others, ...more, ...Object.keys(VARIABLES), 'PORTAL_SECRET_FILE'])).toEqual([])
})
