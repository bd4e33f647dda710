import type { CpuProfile } from './message.ts'

/** The files of all functions that were running at a sample, from the innermost out. */
export type FilesOf = readonly string[]

/** The share of the busy time of a server during which this was true of the running functions. */
export function shareOf({ nodes, samples }: CpuProfile, isPart: (files: FilesOf) => boolean): number {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const filesAt = (sample: number) => {
    const files: string[] = []
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      const url = frames.get(id)?.url
      if (url) files.push(url)
    }
    return files
  }
  const parts = new Map(nodes.map(({ id }) => [id, isPart(filesAt(id))]))
  const busy = samples.filter((sample) => frames.get(sample)?.functionName !== '(idle)')
  return busy.filter((sample) => parts.get(sample)).length / busy.length
}
