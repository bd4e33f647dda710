import { Box } from '@mantine/core'
import type { ReactNode } from 'react'

const OUTDATED_OPACITY = 0.6

/** Pale while what is shown is about to be replaced. */
export const Outdated = ({ is, busy = is, children }: { is: boolean; busy?: boolean; children: ReactNode }) => (
  <Box aria-busy={busy} opacity={is ? OUTDATED_OPACITY : 1}>
    {children}
  </Box>
)
