import type { DeviceStatus as Status } from '../../api/devices.ts'
import { type DotState, StateDot } from '../../ui/StateDot.tsx'

const STATES: Record<Status, { state: DotState; words: string }> = {
  ONLINE: { state: 'well', words: 'Online' },
  OFFLINE: { state: 'half', words: 'Offline' },
  NEVER_SEEN: { state: 'none', words: 'Never seen' },
}

export const DeviceStatus = ({ status }: { status: Status }) => <StateDot {...STATES[status]} />
