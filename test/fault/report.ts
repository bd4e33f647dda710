import type { Violation } from './history.ts'

/** A number that a run gives, and what it has to be. */
export interface Figure {
  what: string
  value: number
  wants?: { atLeast: number } | { atMost: number }
}

/** What a run saw. */
export interface RunResult {
  run: string
  figures: Figure[]
  /** How often each fault happened. */
  faults: Record<string, number>
  /** How often each answer was given. */
  answers: Record<string, number>
  /** What must not be, in words; the first of each kind say enough. */
  wrong: string[]
  /** What could not be tried on this machine, and why. */
  leftOut?: string[]
  seconds: number
}

/** How much is done: all of it, as much as `npm run test:all` has time for, or as `npm test` has. */
export type Effort = 'full' | 'quick' | 'tiny'

export interface RunOptions {
  effort: Effort
  seed: number
  say(words: string): void
}

/** After which a short run gives up: a machine that is starved does not make it fail. */
export const LONG_ENOUGH_MS = 500_000

export type Run = (options: RunOptions) => Promise<Omit<RunResult, 'run' | 'seconds'>>

const isMet = ({ value, wants }: Figure) =>
  !wants || ('atLeast' in wants ? value >= wants.atLeast : value <= wants.atMost)

/** Everything that was asked was seen, and nothing that must not be. */
export const hasPassed = ({ figures, wrong }: RunResult) => wrong.length === 0 && figures.every(isMet)

const MOST_TOLD = 20
const LONGEST_LINE = 1000

/** The first of a long list, with how many more there are. */
export const firstOf = (words: string[]) =>
  words.length <= MOST_TOLD ? words : [...words.slice(0, MOST_TOLD), `… and ${words.length - MOST_TOLD} more`]

/** What was seen that must not be, and what was not seen enough; undefined for a run that has passed. */
export function failureOf(result: Pick<RunResult, 'run' | 'figures' | 'wrong'>, seed: number): string | undefined {
  const missed = result.figures.filter((figure) => !isMet(figure))
  if (missed.length === 0 && result.wrong.length === 0) return undefined
  const lines = [
    ...result.wrong,
    ...missed.map((figure) => `${figure.what}: ${count(figure.value)}, ${verdict(figure)}`),
  ]
  return [`${result.run}, SEED=${seed}:`, ...lines.map((line) => line.slice(0, LONGEST_LINE))].join('\n')
}

const span = ({ kind, start, end, answer }: Violation['wrong']) =>
  `${kind} ${answer} from ${start.toFixed(3)} to ${end.toFixed(3)} ms`

export const describeViolation = ({ rule, key, wrong, against }: Violation) =>
  `${rule}: ${span(wrong)}, ${against ? span(against) : 'no revoke'} (key ${key})`

/** All runs as a table that reads well in a terminal and in Markdown. */
export function resultTable(results: readonly RunResult[]): string {
  const rows = results.flatMap((result) => [
    ...result.figures.map((figure, i) => [
      i === 0 ? result.run : '',
      figure.what,
      count(figure.value),
      verdict(figure),
    ]),
    ['', 'faults', list(result.faults), ''],
    ['', 'answers', list(result.answers), ''],
    ...(result.leftOut ?? []).map((words) => ['', 'left out', words, '']),
    ['', 'seconds', count(result.seconds), hasPassed(result) ? 'passed' : '**FAILED**'],
  ])
  return table([['Run', 'What', 'Seen', 'Verdict'], ...rows])
}

const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 })

const list = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, value]) => `${name} ${count(value)}`)
    .join(', ') || 'none'

function verdict(figure: Figure): string {
  const { wants } = figure
  if (!wants) return ''
  const budget = 'atLeast' in wants ? `≥ ${count(wants.atLeast)}` : `≤ ${count(wants.atMost)}`
  return isMet(figure) ? `${budget} met` : `${budget} **NOT MET**`
}

function table(rows: string[][]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 3)), [])
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...others] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}
