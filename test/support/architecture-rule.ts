import { describe, expect, it } from 'vitest'
import type { Need } from './layers.ts'
import { type Import, parseSource, readSources, type Source } from './sources.ts'

type Find = (sources: Source[]) => string[]

/** Every source file of the project. */
export const tree = readSources()

/** The rule holds in the tree; and with files planted that break it, it says which, and where. */
export function rule(name: string, find: Find, planted: Record<string, string>, found: string[]) {
  describe(name, () => {
    it('holds', () => expect(find(tree)).toEqual([]))

    it('is seen when broken', () => {
      const others = tree.filter(({ path }) => !(path in planted))
      const before = new Set(find(tree))
      const broken = Object.entries(planted).map(([path, code]) => parseSource(path, code))
      expect(find([...others, ...broken]).filter((words) => !before.has(words))).toEqual(found)
    })
  })
}

/** A finding for each import of the files concerned that is judged to be wrong. */
export function inImports(
  concerns: (source: Source) => boolean,
  judge: (source: Source, used: Import) => string | undefined,
): Find {
  return (sources) =>
    sources.filter(concerns).flatMap((source) =>
      source.imports.flatMap((used) => {
        const words = judge(source, used)
        return words === undefined ? [] : `${source.path}:${used.line} ${words}`
      }),
    )
}

/** A finding for each name in the files concerned that is judged to be wrong. */
export function inUses(concerns: (source: Source) => boolean, isWrong: (name: string) => boolean): Find {
  return (sources) =>
    sources
      .filter(concerns)
      .flatMap(({ path, uses }) =>
        uses.filter(({ name }) => isWrong(name)).map(({ name, line }) => `${path}:${line} uses ${name}`),
      )
}

/** Who needs whom among units of these files: a unit is a file, or the folder that it lies in. */
export function needsAmong(sources: Source[], unitOf: (path: string) => string): Need[] {
  return sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ path: to, line }) => {
      const need = { from: unitOf(path), to: unitOf(to ?? path), at: `${path}:${line}` }
      return need.from === need.to ? [] : need
    }),
  )
}
