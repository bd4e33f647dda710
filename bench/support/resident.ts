import { readFileSync } from 'node:fs'
import { readMetric } from './call.ts'

const BYTES_OF_A_KB = 1024

/** What is resident of a portal, in bytes: all of it, and what of it is the program's files, V8's heap, and the rest. */
export interface Resident {
  all: number
  /** Pages of files: those of Node.js itself, which processes share, and of the database. */
  files: number
  /** What V8 has reserved for JavaScript: objects, code and garbage. */
  heap: number
  /** What lives in the heap: with garbage. */
  heapUsed: number
  /** What Node.js, its libraries and SQLite have allocated, thread stacks, compiled code. */
  others: number
}

/** By what Linux and the portal itself count. */
export async function residentOf(pid: number, port: number): Promise<Resident> {
  const heap = await readMetric(port, 'nodejs_heap_size_total_bytes')
  const heapUsed = await readMetric(port, 'nodejs_heap_size_used_bytes')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const counted = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * BYTES_OF_A_KB
  const files = counted('RssFile') + counted('RssShmem')
  return { all: counted('VmRSS'), files, heap, heapUsed, others: counted('RssAnon') - heap }
}
