import type { Drawing } from './icons/icons.ts'

/** A drawing beside words, or in a button that has a name: it is not read aloud, and is as large as parts.css says. */
export const Icon = ({ of }: { of: Drawing }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={of} />
  </svg>
)
