import { Stack } from '@mantine/core'
import { useViewer } from '../api/viewer.ts'
import { CopyField } from '../ui/CopyField.tsx'
import { ApiLayout } from './api/ApiLayout.tsx'
import { DocumentLinks } from './api/DocumentLinks.tsx'
import { endpoint } from './api/endpoint.ts'
import { FirstCall } from './api/FirstCall.tsx'

/** How to call the API: the endpoint, a key, a first call, and where to read on. */
export function ApiPage() {
  const viewer = useViewer()
  return (
    <ApiLayout title="API" viewer={viewer}>
      <Stack maw={760} gap="lg">
        <CopyField label="Endpoint" value={endpoint()} />
        <FirstCall viewer={viewer} />
        <DocumentLinks slug={viewer.organization.slug} />
      </Stack>
    </ApiLayout>
  )
}
