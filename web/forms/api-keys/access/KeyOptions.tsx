import { Stack } from '@mantine/core'
import styles from './AccessField.module.css'
import { RestrictionFields } from './RestrictionFields.tsx'

/** In the form for a new key, on request: what else it can be restricted to. While it is hidden, it restricts nothing (C10). */
export default function KeyOptions({ hidden }: { hidden: boolean }) {
  return (
    <fieldset className={styles['options']} hidden={hidden} disabled={hidden}>
      <Stack gap="sm">
        <RestrictionFields />
      </Stack>
    </fieldset>
  )
}
