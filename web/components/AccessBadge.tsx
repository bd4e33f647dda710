import { Badge } from '@mantine/core'
import { accessName, type Narrowed, whatItMay } from './key-access.ts'

/** What a key may do. One that may do everything stands out: whoever finds it has the organization. */
export const AccessBadge = ({ apiKey }: { apiKey: Narrowed }) => (
  <Badge color={apiKey.access === 'ADMIN' ? 'danger' : 'neutral'} title={whatItMay(apiKey)}>
    {accessName(apiKey)}
  </Badge>
)
