import { expect, it } from 'vitest'
import { cpuChart } from './chart.ts'
import type { SystemRow } from './question.ts'

const always = (median: number) => ({ median, low: median, high: median })
const row = (name: string, micros: number): SystemRow => ({
  name,
  requestsPerSecond: always(1),
  cpuMicros: always(micros),
  p50Ms: always(1),
  p99Ms: always(1),
  cores: always(1),
  generatorCpuMicros: always(1),
})

it('bars are as long as their numbers, fit into the picture, and only the portal is highlighted', () => {
  const svg = cpuChart('CPU', [row('portal', 100), row('a <b> & "c"', 400)])
  const widths = [...svg.matchAll(/<rect class="(\w+)".* width="([\d.]+)"/g)].map(([, kind, width]) => [kind, width])
  expect(widths).toEqual([
    ['own', '130'],
    ['bar', '520'],
  ])
  expect(svg).toContain('>a &lt;b> &amp; &quot;c&quot;<')
  expect(svg).toContain('aria-label="CPU: portal 100 µs, a &lt;b> &amp; &quot;c&quot; 400 µs"')
})
