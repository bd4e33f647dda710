import { expect } from 'vitest'
import { inOrganization } from '../support/world/fixtures.ts'
import { codesOf } from '../support/world/people.ts'
import { setBytes, useUp } from '../support/world/stored-bytes.ts'
import { startWorld, type World } from '../support/world/world.ts'
import { OPERATIONS } from './operations.ts'

const it = inOrganization(startWorld)

const IN_DEVICES = '{ results { device { id } } }'

/** Where that of OPERATIONS changes nothing, and so has no event. */
const DOCUMENTS: Record<string, string> = {
  changeUserRole: 'mutation ($id: ID!) { changeUserRole(userId: $id, role: ADMIN) { id } }',
  checkInDevice: 'mutation ($id: ID!) { checkInDevice(id: $id, input: { firmwareVersion: "2" }) { id } }',
  checkInDevices: `mutation ($id: ID!) { checkInDevices(inputs: [{ id: $id, firmwareVersion: "2" }]) ${IN_DEVICES} }`,
  setApiKeyPolicy: 'mutation { setApiKeyPolicy(input: { maxLifetimeDays: 9 }) { maxLifetimeDays } }',
  setApiKeysEnabled: 'mutation { setApiKeysEnabled(enabled: false) { id } }',
  updateDevices: `mutation ($id: ID!) { updateDevices(inputs: [{ id: $id, description: "x" }]) ${IN_DEVICES} }`,
  updateOrganization: 'mutation { updateOrganization(input: { name: "Another" }) { id } }',
}
const MUTATIONS = Object.entries(OPERATIONS).filter(
  ([, { document, admin }]) => document.startsWith('mutation') && admin === 'ok',
)
const TAKE_ACCESS_AWAY = ['pauseApiKey', 'revokeApiKey', 'reportLeakedApiKey', 'revokeApiKeys', 'removeUser']
const ELSEWHERE = ['createOrganization', 'updateProfile']
/** A key that is not paused is not resumed. */
const WITHOUT_EVENT = ['resumeApiKey', 'revokeOtherSessions', 'testWebhook', 'redeliverWebhook']

const TABLES = ['membership', 'invitation', 'apiKey', 'canaryApiKey', 'device', 'deviceView', 'webhook'] as const

/** All that the organization has. */
async function allOf({ database: { read } }: World, id: string): Promise<unknown[]> {
  const organization = read.selectFrom('organization').selectAll().where('id', '=', id).executeTakeFirst()
  const rows = TABLES.map((table) => read.selectFrom(table).selectAll().where('organizationId', '=', id).execute())
  return Promise.all([organization, ...rows])
}

it('C20: a mutation whose event does not fit into the audit log changes nothing', async ({ world, acme, ada }) => {
  const done: string[] = []
  for (const [name, { document, variables = async () => ({}) }] of MUTATIONS) {
    await setBytes(world, acme.id, 'audit_bytes_a_day', 0)
    await setBytes(world, acme.id, 'delivery_bytes', 0)
    const given = await variables({ acme, stranger: ada })
    await useUp(world, acme.id)
    const before = await allOf(world, acme.id)
    const codes = codesOf(await acme.call(DOCUMENTS[name] ?? document, given))
    if (codes.length === 0) done.push(name)
    else expect([codes, await allOf(world, acme.id)], name).toEqual([['LIMIT_EXCEEDED'], before])
  }
  expect(done.toSorted()).toEqual([...TAKE_ACCESS_AWAY, ...ELSEWHERE, ...WITHOUT_EVENT].toSorted())
})
