import { checkCompose } from './check-compose.ts'
import { checkContext } from './check-context.ts'
import { checkContents, checkFacts, checkSize } from './check-image.ts'
import { checkHealth, checkKeepsData, checkRefusal, checkStarts, checkStops } from './check-runs.ts'
import type { Lab } from './lab.ts'

/** What a check has to go by. */
export interface Scene {
  lab: Lab
  image: string
  base: string
  say: (words: string) => void
}

/** Gives what it saw, in a few words, or throws what is wrong. */
export type Check = (scene: Scene) => Promise<string>

/** Every promise of docs/operations.md about the image, by name. */
export const CHECKS: Record<string, Check> = {
  'at most 30 MB over its base': checkSize,
  'runs as a numbered user that is not root, with a volume, a port and a health check': checkFacts,
  'holds the portal alone: no .git, data, tests, npm cache, second Node.js, secrets': checkContents,
  'no secret, data or .git reaches the builder': checkContext,
  'starts without a volume, and answers the first call with a key': checkStarts,
  'is healthy by its own health check, and not when the portal is away': checkHealth,
  'read-only, no capabilities, a volume: a restart keeps key and device': checkKeepsData,
  'SIGTERM ends it cleanly within 10 s, with connections open': checkStops,
  'a bad setting is said in one sentence, exit code 1': checkRefusal,
}

/** With `--compose`. */
export const COMPOSE_CHECK: Record<string, Check> = {
  'compose.yaml: calls by way of the proxy, addresses, a replica that stops, a revoke': checkCompose,
}
