import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { passwordsAtOnce } from '../../../server/identity/password-threads.ts'
import { temporaryFolder } from '../../support/process/portal-process.ts'
import { connectionsToEach, PLANTED_WORKERS, startWorkers } from '../../support/process/workers.ts'

/** More than a worker has threads. */
const TO_EACH = 6

function signIn(email: string): string {
  const body = JSON.stringify({ email, password: 'not the passphrase' })
  const head = 'POST /auth/sign-in HTTP/1.1\r\nhost: portal\r\ncontent-type: application/json'
  return `${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** The most that were hashed at once, and by how many processes, from the lines that they wrote. */
function countedIn(path: string) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  let atOnce = 0
  const most = Math.max(...lines.map((line) => (atOnce += line.startsWith('+') ? 1 : -1)))
  return { most, hashed: lines.length / 2, processes: new Set(lines.map((line) => line.slice(2))).size }
}

it('two workers together hash no more passwords at once than one process would', async () => {
  const folder = temporaryFolder()
  const portal = await startWorkers(2, {}, { entry: [PLANTED_WORKERS, folder] })
  const connections = await connectionsToEach(portal, { workers: 2, each: TO_EACH })

  const answers = await Promise.all(connections.map((each, i) => each.send(signIn(`person-${i}@example.com`))))

  const refused = answers.filter(({ status }) => status === 401)
  expect(refused).toHaveLength(2 * TO_EACH)
  const { most, ...counts } = countedIn(join(folder, 'hashes'))
  expect(counts).toEqual({ hashed: refused.length, processes: 2 })
  expect(most).toBeLessThanOrEqual(2 * passwordsAtOnce(2))
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
})
