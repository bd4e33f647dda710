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
  const bag = faults.flatMap((fault) => Array<Fault>(fault.weight).fill(fault))
  const any = (random: Random) => () => oneOf(random, bag)
  return goOnWith([any, any], seed, lull)
}

/** Streams of them, one at a time in each: all of them in any order, none twice before the others were there. */
export function startFaultsInTurn(
  faults: readonly Fault[],
  seed: number,
  { lull, streams }: { lull: [number, number]; streams: number },
): Weathering {
  const inTurn = (random: Random) => {
    let left: Fault[] = []
    return () => {
      if (left.length === 0) left = [...faults]
      const fault = oneOf(random, left)
      left = left.filter((other) => other !== fault)
      return fault
    }
  }
  return goOnWith(Array(streams).fill(inTurn), seed, lull)
}

type Draw = (random: Random) => () => Fault

function goOnWith(streams: Draw[], seed: number, lull: [number, number]): Weathering {
  const counts = new Map<string, number>()
  const stopping = new AbortController()

  async function goOn(random: Random, draw: () => Fault): Promise<void> {
    for (;;) {
      await pause(between(random, ...lull), undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      const fault = draw()
      counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1)
      await fault.happen(random)
    }
  }
  const begin = (draw: Draw, place: number) => {
    const random = createRandom(seed + place)
    return goOn(random, draw(random))
  }
  const underWay = Promise.all(streams.map(begin))
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
