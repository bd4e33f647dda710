import { describe, expect } from 'vitest'
import type { Output } from '../../test/support/process/portal-process.ts'
import { runInProcess, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'

type Run = (args: string[], stdin?: string) => Promise<Output>

const it = inWorld(startWithCommandLine)
  .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend('runs', { scope: 'file' }, ({ world, acme, key }) => {
    const portal = world.portal
    const local: Run = (args, stdin) => portal.run(['device', ...args, '--org', acme.slug], stdin)
    const remote: Run = (args, stdin) =>
      runInProcess(['device', ...args, '--remote', world.url], {
        env: { API_SECRET: key.secret },
        ...(stdin !== undefined && { stdin }),
      })
    return { local, remote }
  })

const json = async (run: Run, args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

describe.for(['local', 'remote'] as const)('portal device (%s)', (where) => {
  it('creates, shows, changes, checks in and deletes a device', async ({ runs }) => {
    const run = runs[where]
    const name = `gateway-${where}`
    const place = ['--location-name', 'Hall 3', '--latitude', '52.5', '--longitude', '-13.4']
    const made = await json(run, ['create', name, '--tag', 'b', '--tag', 'a', '--firmware', '1.0', ...place])
    expect(made).toMatchObject({
      name,
      enabled: true,
      status: 'NEVER_SEEN',
      firmwareVersion: '1.0',
      location: { name: 'Hall 3', latitude: 52.5, longitude: -13.4, address: null },
    })
    expect(made.tags.toSorted()).toEqual(['a', 'b'])
    expect(await json(run, ['show', made.id])).toEqual(made)
    const changed = await json(run, ['update', made.id, '--firmware', '', '--disable', '--tag', ''])
    expect(changed).toMatchObject({ name, enabled: false, firmwareVersion: null, tags: [], location: made.location })
    const seen = await json(run, ['check-in', made.id, '--firmware', '2.0'])
    expect(seen).toMatchObject({ status: 'ONLINE', firmwareVersion: '2.0' })
    expect((await run(['delete', made.id], 'no\n')).code).toBe(1)
    const { stdout } = await run(['delete', made.id, '--yes'])
    expect(stdout).toBe(`Deleted ${name}, for good.\n`)
    const gone = await run(['show', made.id, '--json'])
    expect(gone).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(gone.stderr)).toMatchObject({ error: { code: 'NOT_FOUND' } })
  })

  it.for<[string, string[], number, string]>([
    ['a name that is taken', ['create', 'taken'], 1, 'CONFLICT'],
    ['an empty name', ['create', ''], 2, 'BAD_USER_INPUT'],
    ['a change of nothing', ['update', 'x'], 2, 'BAD_USER_INPUT'],
    ['a device that does not exist', ['check-in', 'x'], 1, 'NOT_FOUND'],
  ])('refuses %s', async ([_title, args, code, error], { runs, call }) => {
    await call('mutation { createDevice(input: { name: "taken" }) { id } }')
    const refused = await runs[where]([...args, '--json'])
    expect(refused).toMatchObject({ code, stdout: '' })
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: error } })
  })

  it('lists devices by tag, status and text, and says when there are more', async ({ runs, call }) => {
    const create = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
    for (const name of ['one', 'two']) await call(create, { input: { name: `${where}-${name}`, tags: [where] } })
    const run = runs[where]
    const names = async (...args: string[]) =>
      (await json(run, ['list', ...args])).map((device: { name: string }) => device.name)
    expect(await names('--tag', where)).toEqual([`${where}-one`, `${where}-two`])
    expect(await names('--search', `${where.slice(1)}-t`, '--status', 'never-seen', '--enabled')).toEqual([
      `${where}-two`,
    ])
    expect(await names('--tag', where, '--disabled')).toEqual([])
    const first = await run(['list', '--tag', where, '--limit', '1'])
    expect(first.stderr).toBe('There are more than these 1: give --limit.\n')
    expect(first.stdout).toMatch(
      new RegExp(`^ID .*NAME .*STATUS.*\n\\w+ +${where}-one +never seen +never +- +${where}\n$`),
    )
  })
})

it('prints the same about a device of this database and of a portal elsewhere', async ({ runs, call }) => {
  const made = await call('mutation { createDevice(input: { name: "same", description: "x" }) { id } }')
  const { createDevice } = made.data as { createDevice: { id: string } }
  const both = await Promise.all([runs.local, runs.remote].map((run) => run(['show', createDevice.id])))
  expect(both[0]).toEqual(both[1])
  expect(both[0]?.stdout).toMatch(/^ {2}name +same$/m)
})

it('C10: a key that only reads changes nothing', async ({ world, acme }) => {
  const { secret } = await acme.generateKey({ label: 'reader', access: 'READ_ONLY' })
  const args = ['device', 'create', 'no', '--remote', world.url, '--json']
  const refused = await runInProcess(args, { env: { API_SECRET: secret } })
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'FORBIDDEN' } })
})
