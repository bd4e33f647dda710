import { fileURLToPath } from 'node:url'
import { ask, startChild, temporaryFolder } from './children.ts'
import type { Load, LoadResult } from './message.ts'

const LOAD = fileURLToPath(import.meta.resolve('./load.ts'))
const PATIENCE_MS = 20_000

export interface Generator {
  run(load: Load): Promise<LoadResult>
  stop(): Promise<void>
}

/** The load generator in its own process: one for the whole bench, so that it is warm for every system. */
export function startGenerator(): Generator {
  const child = startChild(temporaryFolder(), { name: 'load', args: [LOAD], answers: 'by itself' })
  return {
    run: (load) => ask<LoadResult>(child, load, load.durationMs + PATIENCE_MS),
    stop: child.stop,
  }
}
