import { useMergedRef } from '@mantine/hooks'
import type { Ref } from 'react'

/** All that Mantine's ScrollArea needs of @floating-ui/react: see vite.config.ts. */
export const useMergeRefs = <Instance>(refs: Ref<Instance>[]) => useMergedRef(...refs)
