import { rmSync } from 'node:fs'
import { ask, type Engine } from './engine.ts'
import { runWell } from './run.ts'

/** Makes an image of a folder; everything in it belongs to root. */
export async function importRoot(engine: Engine, root: string, image: string, changes: string[]): Promise<void> {
  const tar = `${root}.tar`
  await runWell('tar', ['--numeric-owner', '--owner=0', '--group=0', '-C', root, '-cf', tar, '.'])
  try {
    const flags = changes.flatMap((change) => ['--change', change])
    await ask(engine, ['import', ...flags, tar, image], { timeoutMs: 300_000 })
  } finally {
    rmSync(tar)
  }
}
