import type { SystemRow } from './question.ts'

const WIDTH = 760
const BAR = 22
const GAP = 14
const TOP = 44
const LABELS = 160
const NUMBERS = 80

// Colours for both themes, since the page decides the background.
const STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .bar { fill: #8c959f }
  .own { fill: #0969da }
  .spread { stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bar { fill: #6e7681 }
    .own { fill: #4493f8 }
    .spread { stroke: #e6edf3 }
  }`

/** CPU time a request as bars, with a line for half of the rounds; the portal is highlighted. */
export function cpuChart(title: string, rows: SystemRow[]): string {
  const longest = Math.max(...rows.map(({ cpuMicros }) => cpuMicros.high))
  const lengthOf = (micros: number) => ((WIDTH - LABELS - NUMBERS) * micros) / longest
  const height = TOP + rows.length * (BAR + GAP)
  const bars = rows.map(({ name, cpuMicros: { median, low, high } }, i) => {
    const y = TOP + i * (BAR + GAP)
    const middle = y + BAR / 2
    return [
      `<text x="${LABELS - 10}" y="${middle + 5}" text-anchor="end">${safe(name)}</text>`,
      `<rect class="${name.startsWith('portal') ? 'own' : 'bar'}" x="${LABELS}" y="${y}" width="${round(lengthOf(median))}" height="${BAR}" rx="3"/>`,
      `<path class="spread" d="M${round(LABELS + lengthOf(low))} ${middle}H${round(LABELS + lengthOf(high))}"/>`,
      `<text x="${round(LABELS + lengthOf(Math.max(median, high)) + 10)}" y="${middle + 5}">${Math.round(median)} µs</text>`,
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${safe(summaryOf(title, rows))}">`,
    `<style>${STYLE}\n</style>`,
    `<text class="title" x="0" y="20">${safe(title)}</text>`,
    ...bars,
    '</svg>\n',
  ].join('\n')
}

/** The chart as text, for people who do not see it. */
export const summaryOf = (title: string, rows: SystemRow[]) =>
  `${title}: ${rows.map(({ name, cpuMicros }) => `${name} ${Math.round(cpuMicros.median)} µs`).join(', ')}`

const round = (number: number) => Math.round(number * 10) / 10

const safe = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
