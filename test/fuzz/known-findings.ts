import { isPlain } from './call.ts'
import { type Finding, isVolley } from './report.ts'
import { namesIn } from './shrink.ts'
import type { Step } from './steps.ts'

/** Whether a step is likely to show what was found already: it has all the names of a document that failed, and more. */
export function isKnown({ worst, caller }: Step, findings: readonly Finding[]): boolean {
  const [call] = worst.callsOf(worst.sizes[0] ?? 1)
  if (findings.length === 0 || !call) return false
  if (isPlain(call)) return findings.some(({ shape }) => shape === worst.shape)
  if (typeof call.query !== 'string') return false
  const names = namesIn(call)
  return findings.some((finding) => {
    if (isVolley(finding)) return finding.shape === worst.shape
    if (!finding.isTimed && finding.caller !== caller.name) return false
    const known = finding.calls.flatMap((each) =>
      !isPlain(each) && typeof each.query === 'string' ? [...namesIn(each)] : [],
    )
    return known.length > 0 && known.every((name) => names.has(name))
  })
}
