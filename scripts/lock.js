// Plain JavaScript: it runs before anything is installed.
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const BEAT_MS = 1000
const DEAD_AFTER_MS = 3 * BEAT_MS
const ABANDONED_AFTER_MS = 15 * 60_000 // whatever the process ids say: they are reused, and mean nothing in another container
const POLL_EVERY_MS = 200
const REPORT_EVERY_MS = 10_000

/**
 * Runs work under a lock that only one process at a time can hold; others wait. The lock is a file with the ids of its
 * processes, and is taken over when none of them is alive. `alsoHeldBy` adds processes that continue when this one is
 * killed.
 * @template Result
 * @param {string} path
 * @param {(alsoHeldBy: (pid: number | undefined) => void) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withLock(path, work) {
  let mine = describe([process.pid])
  await take(path, mine)
  const release = () => isOurs(path, mine) && rmSync(path, { force: true })
  const beat = setInterval(() => isOurs(path, mine) && utimesSync(path, new Date(), new Date()), BEAT_MS)
  process.once('exit', release)
  try {
    return await work((pid) => {
      if (pid === undefined || !isOurs(path, mine)) return
      mine = describe([process.pid, pid])
      writeFileSync(`${path}.${process.pid}`, mine)
      renameSync(`${path}.${process.pid}`, path)
    })
  } finally {
    clearInterval(beat)
    process.off('exit', release)
    release()
  }
}

/** @param {string} path @param {string} mine */
async function take(path, mine) {
  const since = Date.now()
  for (let reportedMs = 0; !create(path, mine); ) {
    if (isStale(path)) removeStale(path)
    else if (reportedMs <= Date.now() - since) {
      say(
        reportedMs === 0
          ? 'Another command is installing or building here: waiting for it …'
          : `… still waiting, ${reportedMs / 1000} s`,
      )
      reportedMs += REPORT_EVERY_MS
    }
    await pause(POLL_EVERY_MS)
  }
}

/** @param {string} path @param {string} mine */
function create(path, mine) {
  try {
    writeFileSync(path, mine, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** @param {string} path */
function isStale(path) {
  const text = read(path)
  if (text === undefined) return false // released in the meantime
  const silentMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  return silentMs > ABANDONED_AFTER_MS || (silentMs > DEAD_AFTER_MS && !mayLive(text))
}

/**
 * A second process that finds the lock stale must not remove the lock that the first one has taken since: so one at a
 * time, and it checks again.
 */
export function removeStale(/** @type {string} */ path) {
  const guard = `${path}.stale`
  try {
    mkdirSync(guard)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > DEAD_AFTER_MS) removeFolder(guard) // its creator was killed between these two lines
    return
  }
  if (isStale(path)) rmSync(path, { force: true })
  removeFolder(guard)
}

/** It may not exist any more: two processes may remove it at once. */
function removeFolder(/** @type {string} */ path) {
  try {
    rmdirSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** @param {number[]} pids */
const describe = (pids) => JSON.stringify({ pids, host: hostname(), token: randomUUID() })

/** @param {string} path @param {string} mine */
const isOurs = (path, mine) => read(path) === mine

/** A partial text means that its writer was killed. */
function mayLive(/** @type {string} */ text) {
  try {
    /** @type {{ pids: number[], host: string }} */
    const { pids, host } = JSON.parse(text)
    return host !== hostname() || pids.some(isAlive)
  } catch {
    return false
  }
}

function isAlive(/** @type {number} */ pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function read(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const codeOf = (/** @type {unknown} */ error) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** @param {string} words */
const say = (words) => process.stderr.write(`${words}\n`)
