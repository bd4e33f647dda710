import { hash } from 'node:crypto'
import type { Valkey } from '../lib/valkey.ts'
import { type BackoffRule, FORGOTTEN_AFTER_MS, type LoginBackoff } from './login-backoff.ts'

// Counts as `createMemoryBackoff` does. Uses the server's clock, since those of the processes may differ. Arguments:
// after how long everything expires, in what time one attempt is forgiven (0: never), and the waits.
const WAIT_AFTER = `
local function waitAfter(failed) return tonumber(ARGV[2 + math.min(math.ceil(failed), #ARGV - 2)] or 0) end
`
const COUNT = `${WAIT_AFTER}
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('hmget', KEYS[1], 'failed', 'notBefore', 'at')
local failed, notBefore, at = tonumber(kept[1] or 0), tonumber(kept[2] or 0), tonumber(kept[3] or now)
if at > now then at, notBefore = now, math.min(notBefore, now + waitAfter(failed)) end
if now < notBefore then return notBefore - now end
local every = tonumber(ARGV[2])
if every > 0 then failed = math.max(0, failed - (now - at) / every) end
failed = failed + 1
redis.call('hset', KEYS[1], 'failed', tostring(failed), 'at', now, 'notBefore', now + waitAfter(failed))
redis.call('pexpire', KEYS[1], ARGV[1])
return 0
`
const GIVE_BACK = `${WAIT_AFTER}
local kept = redis.call('hmget', KEYS[1], 'failed', 'at')
local failed = tonumber(kept[1] or 0) - 1
if failed <= 0 then return redis.call('del', KEYS[1]) end
return redis.call('hset', KEYS[1], 'failed', tostring(failed), 'notBefore', kept[2] + waitAfter(failed))
`
const FORGET = "return redis.call('del', KEYS[1])"

/** The attempts that all processes on one Valkey have seen. Keys are hashed there. */
export function createSharedBackoff(
  valkey: Valkey,
  name: string,
  { waitsMs, oneForgivenEveryMs = 0 }: BackoffRule,
): LoginBackoff {
  const values = [FORGOTTEN_AFTER_MS, oneForgivenEveryMs, ...waitsMs].map(String)
  const run = (script: string, who: string) =>
    valkey.eval(script, { keys: [`portal:${name}:${hash('sha256', who, 'base64url')}`], arguments: values })
  return {
    count: async (who) => Number(await run(COUNT, who)),
    giveBack: async (who) => void (await run(GIVE_BACK, who)),
    forget: async (who) => void (await run(FORGET, who)),
  }
}
