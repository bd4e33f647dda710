import { oneOf, type Random } from '../fault/random.ts'
import { spoiledJson } from './hostile-json.ts'
import type { Worst } from './worst.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery staple'
const TOKEN = `emi_${'0'.repeat(49)}`

/** A form that each route of `/auth` understands. */
const FORMS: Readonly<Record<string, object>> = {
  'sign-up': { email: EMAIL, password: PASSWORD, name: 'Ada' },
  'sign-in': { email: EMAIL, password: PASSWORD },
  'sign-out': {},
  'change-password': { password: PASSWORD, newPassword: `${PASSWORD} 2` },
  'forgot-password': { email: EMAIL },
  'reset-password': { token: TOKEN, password: PASSWORD },
  'verify-email': { token: TOKEN },
  'send-verification-email': {},
  invitation: { token: TOKEN },
  'accept-invitation': { token: TOKEN, name: 'Ada', password: PASSWORD },
}

const HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': `application/json; ${'x=y; '.repeat(1000)}` },
  { 'sec-fetch-site': 'cross-site' },
  { origin: `http://${'a.'.repeat(2000)}example.com` },
  { cookie: 'portal-session=x; '.repeat(500) },
  { 'user-agent': 'x'.repeat(8000) },
  { 'x-forwarded-for': '1.2.3.4, '.repeat(800) },
]

/** A request to a route of `/auth`; most have something hostile in their form or headers. */
export function authMessage(random: Random): Worst {
  const [route, form] = oneOf(random, Object.entries(FORMS))
  const body = random() < 0.2 ? JSON.stringify(form) : spoiledJson(form, random)
  const headers = random() < 0.25 ? oneOf(random, HEADERS) : {}
  return { shape: `auth ${route}`, sizes: [1], callsOf: () => [{ path: `/auth/${route}`, headers, body }] }
}
