import { SECOND } from '../../../server/lib/clock.ts'

/** One thing that is done to the keys of an organization; `at` picks one of those that are active. */
export type Step =
  | { kind: 'generate'; at: number | undefined }
  | { kind: 'rotate'; at: number; overlap: number; byItself: boolean }
  | { kind: 'revoke'; at: number }
  | { kind: 'policy'; maxKeys: number | null }
  | { kind: 'wait'; ms: number }

interface ModelKey {
  id: string
  line: number
  endsAt: number
  replaced: boolean
}

/** Keys as the documents describe them: in lines, of which each has at most two active ones. */
export class KeyModel {
  private keys: ModelKey[] = []
  private lines = 0
  private most: number
  private readonly now: () => number
  private readonly mostOfAll: number
  private checked = 'nothing'

  constructor(now: () => number, mostOfAll: number) {
    this.now = now
    this.mostOfAll = mostOfAll
    this.most = mostOfAll
  }

  private active(): ModelKey[] {
    return this.keys.filter(({ endsAt }) => endsAt > this.now())
  }

  private activeOf(line: number): ModelKey[] {
    return this.active().filter((key) => key.line === line)
  }

  private activeLines(): number {
    return new Set(this.active().map(({ line }) => line)).size
  }

  activeIds(): string[] {
    return this.active()
      .map(({ id }) => id)
      .sort()
  }

  /** The key that a step is about. */
  pick(step: Step): string | undefined {
    const at = 'at' in step ? step.at : undefined
    const active = this.active()
    return at === undefined || active.length === 0 ? undefined : active[at % active.length]?.id
  }

  /** What the documents say comes of it. */
  expect(step: Step, id: string | undefined): 'done' | 'CONFLICT' | 'LIMIT_EXCEEDED' {
    if (step.kind === 'generate') return this.active().length < this.most ? 'done' : 'LIMIT_EXCEEDED'
    const key = this.keys.find((each) => each.id === id)
    if (step.kind !== 'rotate' || !key) return 'done'
    if (key.replaced) return 'CONFLICT'
    if (step.overlap === 0) return 'done'
    if (this.activeOf(key.line).length > 1) return 'CONFLICT'
    return this.activeLines() <= this.most ? 'done' : 'LIMIT_EXCEEDED'
  }

  apply(step: Step, id: string | undefined, newId: string | undefined): void {
    this.checked = step.kind
    if (step.kind === 'policy') this.most = step.maxKeys ?? this.mostOfAll
    if (step.kind === 'revoke') this.keys = this.keys.filter((key) => key.id !== id)
    if (step.kind === 'generate') this.add(newId, this.lines++)
    if (step.kind !== 'rotate') return
    const old = this.keys.find((key) => key.id === id)
    if (!old) return
    old.replaced = true
    old.endsAt = Math.min(old.endsAt, this.now() + step.overlap * SECOND)
    this.add(newId, old.line)
  }

  private add(id: string | undefined, line: number): void {
    if (id === undefined) throw new Error('No key was made.')
    this.keys.push({ id, line, endsAt: Number.POSITIVE_INFINITY, replaced: false })
  }

  /** What must hold whatever was done. */
  check(): void {
    const lines = Map.groupBy(this.active(), ({ line }) => line)
    for (const keys of lines.values()) {
      if (keys.length > 2) throw new Error(`${keys.length} active keys in one line.`)
    }
    const [active, { most }] = [this.active().length, this]
    if (this.checked === 'generate' && active > most) throw new Error(`${active} active keys of ${most}.`)
    if (this.checked === 'rotate' && lines.size <= most && active > 2 * most) throw new Error(`${active} of ${most}.`)
    this.checked = 'nothing'
  }
}
