import type { Icon as Drawing } from '@tabler/icons-react'

/** A drawing beside words, or in a button that has a name: it is not read aloud, and is as large as parts.css says. */
export const Icon = ({ of: Of }: { of: Drawing }) => <Of aria-hidden="true" />
