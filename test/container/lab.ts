import { randomBytes } from 'node:crypto'
import { freePort } from '../support/process/free-port.ts'
import { ask, type Engine, tryTo } from './engine.ts'
import { eventually } from './eventually.ts'

const PORT_INSIDE = 4000
const START_WITHIN_MS = 60_000

export interface StartOptions {
  image: string
  env?: Record<string, string>
  flags?: string[]
  /** After the image: the command. */
  args?: string[]
}

export type Lab = ReturnType<typeof createLab>
export type Container = Awaited<ReturnType<Lab['start']>>

/** Makes containers and volumes, and removes every one that it made. */
export function createLab(engine: Engine) {
  const made: { containers: string[]; volumes: string[] } = { containers: [], volumes: [] }
  const newName = () => `portal-test-${randomBytes(4).toString('hex')}`

  async function volume(): Promise<string> {
    const name = newName()
    await ask(engine, ['volume', 'create', name])
    made.volumes.push(name)
    return name
  }

  /** A container in the background, listening at a free port of this machine; it need not be ready. */
  async function start({ image, env = {}, flags = [], args = [] }: StartOptions) {
    const [name, port] = [newName(), await freePort()]
    const settings = { ...env, ...(engine.onHostNetwork && { PORT: String(port) }) }
    const publish = engine.onHostNetwork ? [] : ['--publish', `127.0.0.1:${port}:${PORT_INSIDE}`]
    const variables = Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`])
    made.containers.push(name)
    await ask(engine, [
      'run',
      '-d',
      '--name',
      name,
      ...engine.runFlags,
      ...publish,
      ...variables,
      ...flags,
      image,
      ...args,
    ])
    return { name, url: `http://127.0.0.1:${port}` }
  }

  async function cleanUp(): Promise<void> {
    for (const name of made.containers.splice(0)) await tryTo(engine, ['rm', '--force', '--volumes', name])
    for (const name of made.volumes.splice(0)) await tryTo(engine, ['volume', 'rm', '--force', name])
  }

  return { engine, start, volume, cleanUp }
}

/** Waits until /health/ready answers 200; a container that does not get there is shown with its log. */
export async function untilReady({ engine }: Lab, { name, url }: Container): Promise<void> {
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  const isRunning = async () => (await stateOf(engine, name)).Running
  const done = await eventually(START_WITHIN_MS, async () => (await isReady()) || !(await isRunning()))
  if (done && (await isReady())) return
  const { stdout, stderr } = await tryTo(engine, ['logs', name])
  throw new Error(`The container does not get ready: ${`${stdout}${stderr}`.trim().split('\n').slice(-5).join('\n')}`)
}

interface State {
  Running: boolean
  ExitCode: number
  /** `healthy` once the health check has succeeded; the engine or the machine may have no clock to run it by. */
  Health?: { Status: string }
}

export const stateOf = async (engine: Engine, name: string): Promise<State> =>
  JSON.parse(await ask(engine, ['container', 'inspect', '--format', '{{json .State}}', name]))

/** Runs a command in a container, as its own user. */
export const within = ({ engine }: Lab, { name }: Container, command: string[], env: Record<string, string> = {}) =>
  tryTo(engine, [
    'exec',
    ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    name,
    ...command,
  ])
