import { SimpleGrid } from '@mantine/core'
import type { KeyOfPage } from '../../api/api-key.ts'
import { Section } from '../../components/Section.tsx'
import { LazyUsageHistory } from '../../ui/LazyUsageHistory.tsx'

const DAYS = 90
const HOURS = 48

/** How often the key was used, by day and by hour. */
export function Usage({ apiKey: { days, hours } }: { apiKey: KeyOfPage }) {
  const now = Date.now()
  return (
    <Section title="Usage">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <LazyUsageHistory title="By day" rows={days} window={{ unit: 'DAY', count: DAYS, now }} />
        <LazyUsageHistory title="By hour" rows={hours} window={{ unit: 'HOUR', count: HOURS, now }} />
      </SimpleGrid>
    </Section>
  )
}
