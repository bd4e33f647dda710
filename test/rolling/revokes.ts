import { graphqlRequest, openHttpConnection } from '../fault/http-connection.ts'

const TIMEOUT_MS = 20_000
const GENERATE = 'mutation { generateApiKey(input: {}) { secret apiKey { id } } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
const READ = '{ viewer { role } }'

/** A call on a connection of its own. */
async function ask(port: number, secret: string, query: string, variables?: object) {
  const connection = openHttpConnection(port, TIMEOUT_MS)
  try {
    const { status, body } = await connection.send(graphqlRequest(secret, query, variables))
    return { status, body: JSON.parse(body) }
  } finally {
    connection.close()
  }
}

interface Ports {
  generatesAt: number
  revokesAt: number
  all: readonly number[]
}

/**
 * Generates a key at one process, sees that all accept it, revokes it at another, and sees that all refuse it at once.
 * Returns what was wrong.
 */
export async function revokeAcross(secret: string, { generatesAt, revokesAt, all }: Ports): Promise<string[]> {
  const statuses = async (key: string) =>
    (await Promise.all(all.map((port) => ask(port, key, READ)))).map(({ status }) => status)
  const { body } = await ask(generatesAt, secret, GENERATE)
  const generated = body.data?.generateApiKey
  if (!generated) return [`no key was generated: ${JSON.stringify(body)}`]
  const before = await statuses(generated.secret)
  const revoked = await ask(revokesAt, secret, REVOKE, { id: generated.apiKey.id })
  const after = await statuses(generated.secret)
  return [
    ...before.filter((status) => status !== 200).map((status) => `a new key got ${status}`),
    ...(revoked.body.data?.revokeApiKey ? [] : [`not revoked: ${JSON.stringify(revoked.body)}`]),
    ...after.filter((status) => status !== 401).map((status) => `a revoked key got ${status}`),
  ]
}
