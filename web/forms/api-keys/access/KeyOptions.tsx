import { Stack } from '@mantine/core'
import type { KeyAccess } from '../../../api/key-restrictions.ts'
import { RestrictionFields } from './RestrictionFields.tsx'

interface KeyOptionsProps {
  slug: string
  onAccess: (access: KeyAccess) => void
}

/** In the form for a new key, on request: everything that makes it less than an Admin (C10). */
export default function KeyOptions({ slug, onAccess }: KeyOptionsProps) {
  return (
    <Stack gap="sm" mt="sm">
      <RestrictionFields slug={slug} onAccess={onAccess} />
    </Stack>
  )
}
