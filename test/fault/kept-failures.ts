import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes what a run has found to a file, which outlives the output of the tests; gives its path. */
export function keepFailure(run: string, seed: number, words: string): string {
  const path = join(tmpdir(), `portal-fault-${run}-${seed}.log`)
  writeFileSync(path, `${new Date().toISOString()}\n${words}\n`, { flag: 'a' })
  return path
}
