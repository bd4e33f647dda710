import { connect } from 'node:net'
import type { Check, Scene } from './checks.ts'
import { ask, tryTo } from './engine.ts'
import { eventually } from './eventually.ts'
import { createDevice, deviceNames, FIRST_ADMIN, generateKey } from './first-call.ts'
import { factsOf } from './image.ts'
import { type Container, stateOf, untilReady, within } from './lab.ts'

const STOPS_WITHIN_S = 10
const HEALTHY_WITHIN_MS = 60_000

export const checkStarts: Check = async ({ lab, image }) => {
  // podman would mend a data folder that belongs to nobody: it gives volumes to the user of the image.
  const flags = lab.engine.program === 'podman' ? ['--image-volume=ignore'] : []
  const container = await lab.start({ image, env: FIRST_ADMIN, flags })
  await untilReady(lab, container)
  const secret = await generateKey(lab, container)
  await createDevice(container, secret, 'edge-1')
  const names = await deviceNames(container, secret)
  if (names.join() !== 'edge-1') throw new Error(`devices gives ${names}`)
  const { stdout: user } = await within(lab, container, ['node', '-p', 'process.getuid()'])
  if (!(Number(user) > 0)) throw new Error(`it runs as user ${user}`)
  return `user ${user.trim()}, device read back`
}

export const checkHealth: Check = async ({ lab, image }) => {
  const { engine } = lab
  const container = await lab.start({ image, env: FIRST_ADMIN })
  await untilReady(lab, container)
  // podman leaves the clock of health checks to systemd, which may not be there: it is asked to run one.
  const isHealthy = async () =>
    engine.program === 'podman'
      ? (await tryTo(engine, ['healthcheck', 'run', container.name])).code === 0
      : (await stateOf(engine, container.name)).Health?.Status === 'healthy'
  if (!(await eventually(HEALTHY_WITHIN_MS, isHealthy)))
    throw new Error('the portal is ready, the container not healthy')

  const [, ...command] = (await factsOf(engine, image)).Healthcheck?.Test ?? []
  const { code } = await within(lab, container, command, { PORT: '1' })
  if (code !== 1) throw new Error(`where nothing listens the health check ends with ${code}, not with 1`)
  return command.join(' ').slice(0, 60)
}

export const checkKeepsData: Check = async (scene) => {
  const { lab } = scene
  const container = await startHardened(scene)
  const secret = await generateKey(lab, container)
  await createDevice(container, secret, 'edge-1')
  await ask(lab.engine, ['restart', container.name])
  await untilReady(lab, container)
  const names = await deviceNames(container, secret)
  if (names.join() !== 'edge-1') throw new Error(`after a restart devices gives ${names}`)
  const { code } = await within(lab, container, ['node', '-e', 'fs.writeFileSync("/planted", "")'])
  if (code === 0) throw new Error('its root file system can be written to')
  return 'the key works, the device is there'
}

export const checkStops: Check = async (scene) => {
  const { lab } = scene
  const container = await startHardened(scene)
  const { hostname, port } = new URL(container.url)
  const idle = connect(Number(port), hostname).on('error', () => {}) // as a browser or a proxy keeps one
  await fetch(container.url)
  const start = performance.now()
  await ask(lab.engine, ['stop', '-t', '20', container.name])
  const seconds = (performance.now() - start) / 1000
  idle.destroy()
  const { ExitCode: code } = await stateOf(lab.engine, container.name)
  if (code !== 0 || seconds > STOPS_WITHIN_S) throw new Error(`it took ${seconds.toFixed(1)} s, exit code ${code}`)
  return `${seconds.toFixed(1)} s, exit code 0`
}

export const checkRefusal: Check = async ({ lab, image }) => {
  const { engine } = lab
  const { code, stderr } = await tryTo(engine, ['run', '--rm', ...engine.runFlags, '--env', 'PORT=banana', image])
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('time=')) // podman's own
  if (code !== 1 || lines.length !== 1 || !lines[0]?.startsWith('Cannot start: PORT')) {
    throw new Error(`exit code ${code}, words: ${stderr}`)
  }
  return lines[0]
}

/** As an operator would: nothing writable but the volume, not even /tmp, and no privilege. */
async function startHardened({ lab, image }: Scene): Promise<Container> {
  const volume = await lab.volume()
  const [data] = Object.keys((await factsOf(lab.engine, image)).Volumes ?? {})
  const strict = lab.engine.program === 'podman' ? ['--read-only-tmpfs=false'] : []
  const flags = ['--read-only', ...strict, '--cap-drop=ALL', '--security-opt=no-new-privileges']
  const container = await lab.start({ image, env: FIRST_ADMIN, flags: [...flags, '--volume', `${volume}:${data}`] })
  await untilReady(lab, container)
  return container
}
