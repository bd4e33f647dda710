import { Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { auditEventsQuery } from '../../api/audit.ts'
import { ApiError } from '../../api/client.ts'
import type { Device } from '../../api/devices.ts'
import { Section } from '../../components/Section.tsx'
import { ErrorAlert } from '../../ui/ErrorAlert.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { EventList } from '../audit/EventList.tsx'

/** What was changed of a device, when and by whom: firmware versions too, which check-ins report. */
export function DeviceChanges({ slug, device }: { slug: string; device: Device }) {
  const query = useInfiniteQuery(auditEventsQuery(slug, { subjectId: device.id }, device.updatedAt))
  const { data, error } = query
  return (
    <Section
      title="Changes"
      message="From the audit log, the latest first. Check-ins are logged when the firmware changes."
    >
      {data && <EventList events={data.pages.flatMap((page) => page.data)} showsUpdates />}
      {error instanceof ApiError && <ErrorAlert error={error} />}
      {!data && !error && (
        <Skeleton height="var(--height-list)" role="status" aria-busy="true" aria-label="Loading the changes" />
      )}
      <ShowMore query={query}>Show older changes</ShowMore>
    </Section>
  )
}
