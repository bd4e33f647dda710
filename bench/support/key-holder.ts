import { Agent } from 'node:http'
import { call } from './call.ts'

const GENERATE = 'mutation { generateApiKey { secret apiKey { id } } }'

/** How long the revoke of a new key took, and the one call that was made with the key. */
export interface KeyLife {
  revokeMs: number
  callMs: number
}

export interface KeyHolder {
  /** The key works before its revoke, and not with the next call after it; otherwise this throws. */
  generateAndRevoke(): Promise<KeyLife>
  close(): void
}

/** A client beside the load that generates and revokes keys, on a connection that stays open. */
export function createKeyHolder(port: number, secret: string): KeyHolder {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (key: string, query?: string) => call(port, key, query, agent)

  async function generate(): Promise<{ id: string; fresh: string }> {
    const { body } = await ask(secret, GENERATE)
    const answer: { data?: { generateApiKey?: { secret: string; apiKey: { id: string } } } } = JSON.parse(body)
    const made = answer.data?.generateApiKey
    if (!made) throw new Error(`No key was made: ${body}`)
    return { id: made.apiKey.id, fresh: made.secret }
  }

  async function revoke(id: string): Promise<void> {
    const { body } = await ask(secret, `mutation { revokeApiKey(id: ${JSON.stringify(id)}) { ids } }`)
    if (!body.includes(`"ids":["${id}"]`)) throw new Error(`A key was not revoked: ${body}`)
  }

  return {
    async generateAndRevoke() {
      const { id, fresh } = await generate()
      const start = performance.now()
      const accepted = await ask(fresh)
      if (accepted.status !== 200) throw new Error(`A fresh key is refused: ${accepted.status} ${accepted.body}`)
      const before = performance.now()
      await revoke(id)
      const after = performance.now()
      const refused = await ask(fresh)
      if (refused.status !== 401) throw new Error(`A revoked key is accepted: ${refused.status} ${refused.body}`)
      return { revokeMs: after - before, callMs: before - start }
    },
    close: () => agent.destroy(),
  }
}
