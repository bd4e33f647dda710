import { run, runWell } from './run.ts'

/** A container engine, with the flags that it needs on this machine. */
export interface Engine {
  program: 'podman' | 'docker'
  /** Between the program and its command. */
  globals: string[]
  /** For `run`; a container on the network of the machine has no ports of its own. */
  runFlags: string[]
  onHostNetwork: boolean
}

const INSTALL =
  'This needs podman or docker: install one, on Debian or Ubuntu by `sudo apt-get install -y podman runc buildah`, and run the command again.'

/** Where a container may not raise its limits, it gets low ones. */
const LOW_LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024']

/** From the plainest to what restricted virtual machines need. */
const PODMAN_GLOBALS = [
  [],
  ['--cgroup-manager=cgroupfs', '--runtime', 'runc'],
  ['--cgroup-manager=cgroupfs', '--runtime', 'runc', '--storage-driver=vfs'],
]
const RUN_FLAGS = [[], LOW_LIMITS, ['--network=host', ...LOW_LIMITS]]

/** Every engine that is installed and answers, each way to call it; the first that runs an image is taken. */
export async function installedEngines(): Promise<Engine[]> {
  const found: Engine[] = []
  for (const program of ['podman', 'docker'] as const) {
    for (const globals of program === 'podman' ? PODMAN_GLOBALS : [[]]) {
      if ((await run(program, [...globals, 'info'])).code !== 0) continue
      for (const runFlags of RUN_FLAGS) {
        found.push({ program, globals, runFlags, onHostNetwork: runFlags.includes('--network=host') })
      }
    }
  }
  if (found.length === 0) throw new Error(INSTALL)
  return found
}

/** Whether a container of this image starts and prints the version of its Node.js; the reason where not. */
export async function tryEngine(engine: Engine, image: string): Promise<string | undefined> {
  const args = [...engine.globals, 'run', '--rm', ...engine.runFlags, image, 'node', '--version']
  const { code, stderr } = await run(engine.program, args)
  return code === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `it ended with ${code}`)
}

/** Standard output of one command of the engine. */
export const ask = (engine: Engine, args: readonly string[], options?: Parameters<typeof run>[2]) =>
  runWell(engine.program, [...engine.globals, ...args], options)

/** One command of the engine, whatever becomes of it. */
export const tryTo = (engine: Engine, args: readonly string[], options?: Parameters<typeof run>[2]) =>
  run(engine.program, [...engine.globals, ...args], options)

export const hasImage = async (engine: Engine, image: string) =>
  (await tryTo(engine, ['image', 'inspect', image])).code === 0

/** How it is called here, for a person to repeat. */
export const describeEngine = ({ program, globals, runFlags }: Engine) =>
  [program, ...globals, 'run', ...runFlags].join(' ')
