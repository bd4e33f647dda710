import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { between, createRandom, oneOf, type Random } from './random.ts'

/** Something that goes wrong, and is over when this comes back. */
export interface Fault {
  name: string
  /** How often it is chosen, against the others. */
  weight: number
  happen(random: Random): Promise<void>
}

/** What happens to replicas and to their ways to the database, one replica at a time. */
export function replicaFaults({ replicas }: Pick<Cluster, 'replicas'>, longestStopMs = 5000): Fault[] {
  const any = (random: Random) => {
    const up = replicas.filter((replica) => replica.port() !== undefined)
    return oneOf(random, up.length > 0 ? up : replicas)
  }
  return [
    { name: 'SIGSTOP', weight: 4, happen: (random) => any(random).pause(between(random, 100, longestStopMs)) },
    {
      name: 'kill -9 of a replica',
      weight: 2,
      async happen(random) {
        const replica = any(random)
        await replica.kill()
        await replica.start()
      },
    },
    { name: 'TCP cut', weight: 4, happen: async (random) => void any(random).proxy.cut() },
    {
      name: 'TCP delay',
      weight: 4,
      async happen(random) {
        const { proxy } = any(random)
        proxy.set({ delayMs: oneOf(random, [10, 50, 200, 500]) })
        await pause(between(random, 500, 3000))
        proxy.set({})
      },
    },
    {
      name: 'database errors',
      weight: 2,
      async happen(random) {
        const { proxy } = any(random)
        proxy.set({ failRate: 0.2 })
        await pause(between(random, 500, 2000))
        proxy.set({})
      },
    },
    {
      name: 'TCP stall',
      weight: 2,
      async happen(random) {
        const { proxy } = any(random)
        proxy.set({ stalled: true })
        await pause(between(random, 200, 3000))
        proxy.set({})
      },
    },
  ]
}

/** PostgreSQL ends as by a power cut, and comes back; one at a time. */
export function databaseRestart({ postgres }: Pick<Cluster, 'postgres'>): Fault {
  let underWay = Promise.resolve()
  return {
    name: 'PostgreSQL restart',
    weight: 1,
    happen() {
      underWay = underWay.then(async () => {
        await postgres.stop('immediate')
        await postgres.start()
      })
      return underWay
    },
  }
}

/** Faults that go on until they are told to stop. */
export interface Weathering {
  counts: Map<string, number>
  total(): number
  /** Comes back when the last one is over. */
  stop(): Promise<void>
}

/** Two at a time, a moment apart, drawn from the seed. */
export function startFaults(faults: readonly Fault[], seed: number, lull: [number, number] = [200, 1500]): Weathering {
  const counts = new Map<string, number>()
  const bag = faults.flatMap((fault) => Array<Fault>(fault.weight).fill(fault))
  const stopping = new AbortController()

  async function goOn(random: Random): Promise<void> {
    for (;;) {
      await pause(between(random, ...lull), undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      const fault = oneOf(random, bag)
      counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1)
      await fault.happen(random)
    }
  }
  const underWay = Promise.all([goOn(createRandom(seed)), goOn(createRandom(seed + 1))])
  underWay.catch(() => {}) // told by `stop`
  return {
    counts,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    async stop() {
      stopping.abort()
      await underWay
    },
  }
}
