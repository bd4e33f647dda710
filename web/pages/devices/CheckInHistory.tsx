import type { Device } from '../../api/devices.ts'
import { Section } from '../../components/Section.tsx'
import { UsageHistory } from '../../ui/UsageHistory.tsx'

const DAYS = 30

/** How often a device has checked in, by day: a day without a check-in is a gap. */
export const CheckInHistory = ({ days }: { days: Device['checkInDays'] }) => (
  <Section title="Check-ins">
    <UsageHistory
      title="By day"
      rows={days.map(({ firstAt, checkIns }) => ({ at: startOfDay(firstAt), calls: checkIns, errors: 0 }))}
      window={{ unit: 'DAY', count: DAYS, now: Date.now(), counted: 'check-in' }}
    />
  </Section>
)

/** In UTC, as the API counts days. */
const startOfDay = (at: string) => `${at.slice(0, 'YYYY-MM-DD'.length)}T00:00:00.000Z`
