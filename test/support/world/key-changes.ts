import { inOrganization } from './fixtures.ts'
import type { Answer } from './http.ts'
import { fieldOf } from './people.ts'
import type { TestKey, TestOrganization, World } from './world.ts'

export const CHANGES = `query ($id: ID!, $since: DateTime, $first: Int, $after: String) {
  apiKeyChanges(id: $id, since: $since, first: $first, after: $after) {
    data { at action subject subjectType subjectId ip actor { kind id name } changes { field before after } }
    pageInfo { hasNextPage endCursor } totalCount keyCount isComplete } }`
const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
const UPDATE = 'mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { id } }'
const GENERATE = 'mutation ($label: String) { generateApiKey(input: { label: $label }) { secret apiKey { id label } } }'
export const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 0) { secret apiKey { id label } } }'
export const REVOKE = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

interface Changes {
  data: {
    action: string
    subject: string
    subjectId: string
    ip: string
    actor: { id: string; name: string }
    changes: { field: string; before: unknown; after: unknown }[]
  }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
  totalCount: number
  keyCount: number
  isComplete: boolean
}

/** In an organization with a key, and what a caller with a key can do. */
export const inLeak = (start: () => Promise<World>) =>
  inOrganization(start)
    .extend('leaked', ({ acme }) => acme.generateKey({ label: 'leaked' }))
    .extend(
      'by',
      ({ world }) =>
        (key: TestKey) =>
          callerOf(world, key),
    )

function callerOf(world: World, { secret }: TestKey) {
  const { call } = world.asKey(secret)
  const made = async (answer: Promise<Answer>): Promise<TestKey> => {
    const { apiKey, secret } = fieldOf<{ secret: string; apiKey: Omit<TestKey, 'secret'> }>(await answer)
    return { ...apiKey, secret }
  }
  return {
    call,
    addDevice: async (input: object) => fieldOf<{ id: string }>(await call(CREATE, { input })).id,
    updateDevice: async (id: string, input: object) => void fieldOf(await call(UPDATE, { id, input })),
    generate: (label: string) => made(call(GENERATE, { label })),
    rotate: ({ id }: TestKey) => made(call(ROTATE, { id })),
  }
}

export const changesOf = async ({ call }: Pick<TestOrganization, 'call'>, { id }: { id: string }, args: object = {}) =>
  fieldOf<Changes>(await call(CHANGES, { id, ...args }))

/** `label: ACTION subject`, the newest first. */
export const linesOf = ({ data }: Changes) =>
  data.map(({ actor, action, subject }) => `${actor.name}: ${action} ${subject}`)
