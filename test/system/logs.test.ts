import { expect, it } from 'vitest'
import { runPortal, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { type Answer, call, type Posted, post } from '../support/world/http.ts'
import { fieldOf, invited } from '../support/world/people.ts'

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'first admin passphrase', ORGANIZATION: 'Acme Edge' }

interface Line {
  level: string
  time: string
  msg: string
  requestId?: string
  route?: string
  status?: number
}

it('the log of a real process is JSON lines with request ids, and at any level has no secret, cookie or password', async () => {
  const folder = temporaryFolder()
  const portal = await startPortal(folder, { env: { ...ADMIN, LOG_LEVEL: 'trace' } })
  const never = new Set([ADMIN.ADMIN_PASSWORD])
  /** Keeps in mind what must not be found later. */
  const secret = (text: string) => {
    never.add(text)
    return text
  }
  const requestIds: unknown[] = []
  let asked = 0
  const seen = <Got extends Answer | Posted>(answer: Got): Got => {
    const { cookie } = answer as Partial<Posted>
    const token = cookie?.split('=')[1]
    if (token) secret(token)
    asked++
    requestIds.push(...requestIdsIn(answer))
    return answer
  }
  const send = async (path: string, body: unknown, options: { cookie?: string } = {}) =>
    seen(await post(`${portal.url}${path}`, body, options))

  // Signing up and in, and getting it wrong in several ways.
  const eve = { email: 'eve@example.com', name: 'Eve', password: secret('a passphrase of Eve') }
  const { cookie: eves = '' } = await send('/auth/sign-up', eve)
  await send('/auth/sign-up', { ...eve, password: secret('tooshort') })
  await send('/auth/sign-in', { email: eve.email, password: secret('not the passphrase of Eve') })
  await send('/auth/sign-in', `{"email":"eve@example.com","password":"${secret('in broken json')}`)
  await send('/auth/sign-in', { email: secret('typed-a-password-here'), password: [secret('in a list')] })
  const { cookie = '' } = await send('/auth/sign-in', { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })
  await send(
    '/auth/change-password',
    { password: eve.password, newPassword: secret('a newer phrase') },
    { cookie: eves },
  )

  // A key: made, used, sent in all the wrong places, used when revoked.
  const asAda = async (query: string, variables?: object) =>
    seen(await portal.asSession(cookie, 'acme-edge')(query, variables))
  const made = await asAda('mutation { generateApiKey { secret apiKey { id } } }')
  const key = fieldOf<{ secret: string; apiKey: { id: string } }>(made)
  secret(key.secret)
  seen(await portal.asKey(key.secret)('{ viewer { role } }'))
  seen(await portal.asKey(`${key.secret}x`)('{ viewer { role } }'))
  seen(await call(`${portal.url}/graphql`, { authorization: `Bearer ${key.secret}` }, '{ viewer { role } }'))
  seen(await call(`${portal.url}/graphql?api-secret=${key.secret}`, { 'x-api-key': key.secret }, '{ viewer { role } }'))
  seen(await portal.asKey(key.secret)(`{ device(id: "${key.secret}") { id } ${key.secret} }`))
  seen(await portal.asKey(key.secret)('query ($id: ID!) { device(id: $id) { id } }', { id: key.secret }))
  await asAda('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.apiKey.id })
  seen(await portal.asKey(key.secret)('{ viewer { role } }'))

  // Links, also as addresses that somebody opens.
  const { token } = await invited(asAda, { email: 'bob@example.com' })
  secret(token)
  await fetch(`${portal.url}/invitations/${token}?again=${token}`)
  await fetch(`${portal.url}/%69nvitations/%zz/${token}`)
  await send('/auth/invitation', { token })
  await send('/auth/accept-invitation', { token, name: 'Bob', password: secret('a passphrase of Bob') })
  const reset = await runPortal(['user', 'reset', 'bob@example.com', '--json'], { env: { DATA_DIR: folder } })
  const [resetToken = ''] = /emr_\w+/.exec(reset.stdout) ?? []
  expect(resetToken).not.toBe('')
  secret(resetToken)
  await fetch(`${portal.url}/reset/${resetToken}`)
  await send('/auth/reset-password', { token: resetToken, password: secret('another phrase of Bob') })
  await send('/auth/reset-password', { token: resetToken, password: secret('a third phrase of Bob') })
  await send('/auth/sign-out', {}, { cookie })
  await portal.stop()

  const printed = portal.stdout() + portal.stderr()
  expect([...never].filter((text) => printed.includes(text))).toEqual([])
  const lines: Line[] = portal
    .stderr()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const line of lines) expect(line).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
  for (const { time } of lines) expect(new Date(time).toISOString()).toBe(time)
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(requests.length).toBeGreaterThan(asked)
  expect(requests.map(({ requestId }) => requestId)).toEqual(expect.arrayContaining(requestIds))
  expect(requestIds.length).toBeGreaterThan(8)
  expect(lines.map(({ msg }) => msg)).not.toContain('bug')
})

/** The ids under which a client was refused: an operator finds each in the log. */
function requestIdsIn(answer: Answer | Posted): unknown[] {
  const errors = 'errors' in answer ? answer.errors : ((answer.body as Partial<Pick<Answer, 'errors'>>)?.errors ?? [])
  return errors.map(({ extensions }) => extensions['requestId'])
}
