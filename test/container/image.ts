import { join } from 'node:path'
import { ROOT } from '../support/sources.ts'
import { ask, type Engine, tryTo } from './engine.ts'
import { runWell } from './run.ts'

const TAG = 'localhost/portal:test'
const MB = 1_000_000

/** What an image says of itself, as far as it is checked. */
export interface ImageFacts {
  User: string
  Env: string[]
  Cmd: string[]
  Entrypoint: string[] | null
  Volumes: Record<string, object>
  ExposedPorts: Record<string, object>
  Healthcheck?: { Test: string[] }
}

/** Builds the image as docs/operations.md says, on this base, without asking a registry. */
export async function buildImage(engine: Engine, base: string, onLine: (line: string) => unknown): Promise<string> {
  const flags = ['-f', join(ROOT, 'Containerfile'), '--build-arg', `BASE=${base}`, '-t', TAG]
  const { stdout: before } = await tryTo(engine, ['image', 'inspect', '--format', '{{.Id}}', TAG])
  await ask(engine, ['build', ...flags, ...(await ownFlags(engine)), ROOT], { timeoutMs: 1_800_000, onLine })
  const now = await ask(engine, ['image', 'inspect', '--format', '{{.Id}}', TAG])
  if (before.trim() && before.trim() !== now) await tryTo(engine, ['rmi', before.trim()]) // nothing refers to it any more
  return TAG
}

async function ownFlags(engine: Engine): Promise<string[]> {
  const { program, runFlags } = engine
  if (program === 'docker') return []
  const driver = await ask(engine, ['info', '--format', '{{.Store.GraphDriverName}}'])
  const limits = runFlags.filter((flag) => flag !== '--network=host')
  return [
    '--format=docker', // OCI images have no place for a health check
    '--pull=never',
    ...(driver === 'vfs' ? ['--layers=false'] : []), // it copies everything for each layer
    ...(limits.length > 0 ? ['--network=host', ...limits] : []),
  ]
}

/** podman keeps the health check beside the rest, docker in it. */
export async function factsOf(engine: Engine, image: string): Promise<ImageFacts> {
  const [{ Config, Healthcheck }] = JSON.parse(await ask(engine, ['image', 'inspect', image]))
  return { ...Config, Healthcheck: Config.Healthcheck ?? Healthcheck }
}

export async function sizeOverBase(engine: Engine, image: string, base: string): Promise<number> {
  const sizeOf = async (name: string) => Number(await ask(engine, ['image', 'inspect', '--format', '{{.Size}}', name]))
  return ((await sizeOf(image)) - (await sizeOf(base))) / MB
}

/** Every path in an image, without a leading slash. */
export async function pathsIn(engine: Engine, image: string): Promise<Set<string>> {
  const id = await ask(engine, ['create', image, 'nothing'])
  try {
    const list = ['-c', '"$@" | tar -t', 'sh', engine.program, ...engine.globals, 'export', id]
    const listed = await runWell('sh', list, { timeoutMs: 120_000 })
    return new Set(listed.split('\n').map((path) => path.replace(/^\.?\/|\/$/g, '')))
  } finally {
    await ask(engine, ['rm', '--volumes', id])
  }
}
