import { type GeneratedKey, withSecret } from './api-keys.ts'
import { mutate } from './client.ts'
import { graphql } from './graphql.ts'

const ROTATE = graphql(`
  mutation RotateApiKey($id: ID!, $overlapSeconds: Int!) {
    rotateApiKey(id: $id, overlapSeconds: $overlapSeconds) {
      secret
      apiKey { id label access deviceId device { name } notBefore paused pausedUntil }
    }
  }
`)

/** A new secret under the same label; the old one expires after the overlap. As with a new key, the answer goes into no cache. */
export const rotateApiKey = async (slug: string, id: string, overlapSeconds: number): Promise<GeneratedKey> =>
  withSecret((await mutate(ROTATE, { id, overlapSeconds }, slug)).rotateApiKey)
