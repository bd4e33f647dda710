import type { Asked } from '../../forms/api-keys/dialogs.ts'
import { LeakTools } from './LeakTools.tsx'
import { UsageRules } from './UsageRules.tsx'

/** What stands below the list of keys, and comes after it. */
export default function BelowKeys({ onAsk }: { onAsk: (asked: Asked) => void }) {
  return (
    <>
      <LeakTools onAsk={onAsk} />
      <UsageRules />
    </>
  )
}
