import { SECOND } from '../lib/clock.ts'
import { within } from '../lib/within.ts'
import type { Crew } from './crew.ts'
import type { ParentLink } from './link.ts'

const ANSWER_WITHIN_MS = SECOND

export interface Metric {
  name: string
  type: string
  aggregator: string
  values: { value: number; labels: object; metricName?: string }[]
}

/** Gathers the metrics of all workers. Counters never go back: what a worker counted stays when it is gone. */
export function gatherMetrics(crew: Crew, link: ParentLink): void {
  const latest = new Map<number, Metric[]>()
  let ofGone: Metric[] = []

  /** The metrics of a worker; if it hangs, as it last gave them. */
  async function ask(worker: number): Promise<void> {
    const late = () => new Error(`The worker ${worker} does not answer.`)
    const metrics = await within(ANSWER_WITHIN_MS, link.ask<Metric[]>(worker, 'metrics', {}), late).catch(
      () => undefined,
    )
    if (metrics && crew.ids().includes(worker)) latest.set(worker, metrics)
  }

  link.onAsk('metrics of all', async () => {
    await Promise.all(crew.ids().map(ask))
    return [...latest.values(), ofGone]
  })
  link.onTell('last metrics', (worker, metrics) => latest.set(worker, metrics as Metric[])) // as metrics.ts sends them
  link.onGone((worker) => {
    ofGone = countersIn(ofGone, latest.get(worker) ?? [])
    latest.delete(worker)
  })
}

/** The counts of both together, and nothing that is over with its process. */
function countersIn(...all: Metric[][]): Metric[] {
  const sums = new Map<string, Metric>()
  for (const metric of all.flat()) {
    if (metric.type !== 'counter' && metric.type !== 'histogram') continue
    const { values = [] } = sums.get(metric.name) ?? {}
    sums.set(metric.name, { ...metric, values: added([...values, ...metric.values]) })
  }
  return [...sums.values()]
}

function added(values: Metric['values']): Metric['values'] {
  const byLabels = Map.groupBy(values, ({ labels, metricName }) => JSON.stringify([metricName, labels]))
  return [...byLabels.values()].flatMap(([first, ...others]) =>
    first ? { ...first, value: others.reduce((sum, { value }) => sum + value, first.value) } : [],
  )
}
