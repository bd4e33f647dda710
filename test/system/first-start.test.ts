import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { plainEnv } from '../support/environment.ts'
import { demoIn, startDemo, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { FROM_SOURCES } from '../support/process/portal-program.ts'
import { ROOT } from '../support/sources.ts'
import { runInProcess } from '../support/world/command-line.ts'
import { post } from '../support/world/http.ts'
import { fieldOf } from '../support/world/people.ts'

const ANY_SECRET = /emp_[0-9A-Za-z]{49}/
const PASSWORD = 'a long enough passphrase'
const ADMIN = { ADMIN_EMAIL: 'Ada@Example.com', ADMIN_PASSWORD: PASSWORD, ORGANIZATION: 'Acme Edge' }
/** From a checkout, whose folder a person has before them: `npx portal` works as pasted there. */
const SERVE = [FROM_SOURCES, 'serve']

/** What a person does with a line of the greeting. */
async function paste(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: ROOT, env: plainEnv() })
  return stdout
}

const signIn = (url: string, email: string, password: string) => post(`${url}/auth/sign-in`, { email, password })

it('A1, A4, C5: the first start with --demo prints an account that can sign in and a call that works as pasted', async () => {
  const { url, stdout, email, password, secret } = await startDemo(temporaryFolder())
  const [call = ''] = /^curl [\s\S]*$/m.exec(stdout()) ?? []
  const answer = JSON.parse(await paste(call))

  expect(call).toContain(secret)
  expect(answer.data.devices.data).toHaveLength(21)
  expect(answer.data.devices.data[0]).toEqual({ id: expect.any(String), name: expect.any(String) })
  expect(await signIn(url, email, password)).toMatchObject({ status: 200, cookie: expect.any(String) })
})

it('C8: a later start prints no secret and no password, and says how to generate another key', async () => {
  const folder = temporaryFolder()
  const first = await startDemo(folder)
  await first.stop()

  const again = await startPortal(folder, { entry: SERVE, args: ['--demo'] })
  expect((await fetch(`${again.url}/health/ready`)).status).toBe(200)
  const printed = again.stdout() + again.stderr()
  expect(printed).not.toMatch(ANY_SECRET)
  expect(printed).not.toContain(first.password)

  const [, command = ''] = /^Another API key: +(.*)$/m.exec(again.stdout()) ?? []
  const [secret = ''] = ANY_SECRET.exec(await paste(command)) ?? []
  expect((await again.asKey(secret)('{ viewer { role } }')).data).toEqual({ viewer: { role: 'ADMIN' } })
})

it('C5: ADMIN_EMAIL, ADMIN_PASSWORD and ORGANIZATION create the organization with the feature on, and no demo', async () => {
  const portal = await startPortal(temporaryFolder(), { entry: SERVE, args: ['--demo'], env: ADMIN })
  const { cookie = '' } = await signIn(portal.url, 'ada@example.com', PASSWORD)
  const ask = portal.asSession(cookie, 'acme-edge')

  expect((await ask('{ organization { name kind apiKeysEnabled } viewer { role } }')).data).toEqual({
    organization: { name: 'Acme Edge', kind: 'ORGANIZATION', apiKeysEnabled: true },
    viewer: { role: 'ADMIN' },
  })
  expect((await ask('{ devices { totalCount } apiKeys { totalCount } users { totalCount } }')).data).toEqual({
    devices: { totalCount: 0 },
    apiKeys: { totalCount: 0 },
    users: { totalCount: 1 },
  })
  expect(portal.stdout()).toContain('Created the organization acme-edge with the Admin ada@example.com.')
  expect(demoIn(portal.stdout()).secret).toBe('')
  expect(portal.stdout() + portal.stderr()).not.toContain(PASSWORD)
  const [, command = ''] = /^ +(.* key generate .*)$/m.exec(portal.stdout()) ?? []
  expect(await paste(command)).toMatch(ANY_SECRET)
})

it('ADMIN_* change nothing on a database that is in use', async () => {
  const folder = temporaryFolder()
  const first = await startPortal(folder, { env: ADMIN })
  await first.stop()
  const before = await everyone(folder)

  const other = { ...ADMIN, ADMIN_PASSWORD: 'another long passphrase', ORGANIZATION: 'Eve' }
  const again = await startPortal(folder, { env: other })
  expect((await signIn(again.url, 'ada@example.com', PASSWORD)).status).toBe(200)
  expect((await signIn(again.url, 'ada@example.com', other.ADMIN_PASSWORD)).status).toBe(401)
  await again.stop()
  expect(await everyone(folder)).toEqual(before)
})

it('serve on an empty database says what to run, and that works as pasted while it serves', async () => {
  const portal = await startPortal(temporaryFolder(), { entry: SERVE })
  expect(portal.stdout()).toContain('The database is empty.')
  expect(portal.stdout()).not.toMatch(ANY_SECRET)

  const [createUser = '', createOrganization = ''] = portal.stdout().match(/^ +.*npx portal .*$/gm) ?? []
  await paste(`echo '${PASSWORD}' | ${createUser}`)
  await paste(createOrganization)

  const { cookie = '' } = await signIn(portal.url, 'you@example.com', PASSWORD)
  const viewer = await portal.asSession(cookie, 'acme-edge')('{ viewer { role user { email } } }')
  expect(fieldOf(viewer)).toEqual({ role: 'ADMIN', user: { email: 'you@example.com' } })
})

async function everyone(folder: string): Promise<unknown> {
  const { stdout } = await runInProcess(['org', 'list', '--json'], { env: { DATA_DIR: folder } })
  return JSON.parse(stdout)
}
