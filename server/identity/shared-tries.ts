import { hash } from 'node:crypto'
import type { Valkey } from '../lib/valkey.ts'
import { FORGOTTEN_AFTER_MS, type Tries, WAITS_MS } from './tries.ts'

// As `createOwnTries` counts. By the server's clock, since those of the processes may differ.
const COUNT = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('hmget', KEYS[1], 'failed', 'notBefore')
local failed, notBefore = tonumber(kept[1] or 0), tonumber(kept[2] or 0)
if now < notBefore then return notBefore - now end
failed = failed + 1
local wait = ARGV[1 + math.min(failed, #ARGV - 1)]
redis.call('hset', KEYS[1], 'failed', failed, 'notBefore', now + wait)
redis.call('pexpire', KEYS[1], ARGV[1])
return 0
`
const GIVE_BACK = "return redis.call('exists', KEYS[1]) == 1 and redis.call('hincrby', KEYS[1], 'failed', -1)"
const FORGET = "return redis.call('del', KEYS[1])"

/** The tries that all processes on one Valkey have seen. Who made them is not to be read there. */
export function createSharedTries(valkey: Valkey, name: string, waitsMs: readonly number[] = WAITS_MS): Tries {
  const run = (script: string, who: string, values: number[] = []) =>
    valkey.eval(script, { keys: [`portal:${name}:${hash('sha256', who, 'base64url')}`], arguments: values.map(String) })
  return {
    count: async (who) => Number(await run(COUNT, who, [FORGOTTEN_AFTER_MS, ...waitsMs])),
    giveBack: async (who) => void (await run(GIVE_BACK, who)),
    forget: async (who) => void (await run(FORGET, who)),
  }
}
