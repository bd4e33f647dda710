import { join } from 'node:path'
import { call, freePort } from './call.ts'
import { startChild, temporaryFolder } from './children.ts'
import { install } from './install.ts'
import type { Expected } from './message.ts'
import type { Fleet } from './seed.ts'
import { ready, type System } from './system.ts'

const PEERS = join(import.meta.dirname, '..', 'peers')

const NAMES = ['yoga', 'apollo', 'better-auth', 'mercurius', 'postgraphile'] as const

/** An alternative to the portal: bench/peers/ has a folder for each. */
export type Peer = (typeof NAMES)[number]

export const isPeer = (name: string): name is Peer => NAMES.some((each) => each === name)

/** Installs it if needed, and starts it on the same database; it must answer as the portal does. */
export async function startPeer(peer: Peer, fleet: Fleet, expected: Expected): Promise<System> {
  const home = join(PEERS, peer)
  await install(home)
  const port = await freePort()
  const folder = temporaryFolder()
  const { secrets, file, settings } = fleet
  const options = { port, folder, file, url: settings['DATABASE_URL'], secrets }
  const args = [join(home, 'server.js'), JSON.stringify(options)]
  const child = startChild(folder, { name: peer, args, env: { NODE_ENV: 'production' }, answers: 'by probe' })
  try {
    const system = await ready(peer, port, fleet, child)
    await requireSameAnswers(port, fleet, expected)
    return system
  } catch (error) {
    await child.stop()
    throw error
  }
}

async function requireSameAnswers(port: number, { secret, secrets }: Fleet, expected: Expected): Promise<void> {
  for (const each of secrets) {
    const accepted = await call(port, each)
    if (accepted.status !== expected.status || accepted.body !== expected.body) {
      throw new Error(`It answers something else: ${accepted.status} ${accepted.body.slice(0, 200)}`)
    }
  }
  const refused = await call(port, `${secret.slice(0, -1)}!`)
  if (refused.status !== 401 || refused.body.includes('"id"')) {
    throw new Error(`It does not refuse a wrong key: ${refused.status} ${refused.body.slice(0, 200)}`)
  }
}
