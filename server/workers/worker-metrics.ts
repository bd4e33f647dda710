import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Metric } from './gathered-metrics.ts'
import type { WorkerLink } from './link.ts'

/** Added up, these would say nothing. What is no sum among the portal's own names its aggregator itself. */
const NO_SUMS: Record<string, string> = { process_start_time_seconds: 'min', process_max_fds: 'min' }

interface SharedMetrics {
  text(): Promise<string>
  /** Sends the last ones of this worker: what it has counted stays counted. */
  leave(): Promise<void>
}

export function createSharedMetrics(link: WorkerLink, registry: Registry): SharedMetrics {
  const own = () => registry.getMetricsAsJSON()
  link.onAsk('metrics', own)
  return {
    async text() {
      const all = await link.ask<Metric[][]>('metrics of all', {})
      const known = all.map((metrics) =>
        metrics.map((metric) => ({ ...metric, aggregator: NO_SUMS[metric.name] ?? metric.aggregator })),
      )
      return AggregatorRegistry.aggregate(known).metrics()
    },
    leave: async () => link.tell('last metrics', await own()),
  }
}
