import type { ReactNode } from 'react'

/** Drawn, not typed: a letter in their place would be read aloud. */
const Icon = ({ children }: { children: ReactNode }) => (
  <svg aria-hidden="true" width="16" height="16" viewBox="0 0 16 16" fill="currentColor">
    {children}
  </svg>
)

export const DotsIcon = () => (
  <Icon>
    <circle cx="3" cy="8" r="1.4" />
    <circle cx="8" cy="8" r="1.4" />
    <circle cx="13" cy="8" r="1.4" />
  </Icon>
)

export const ChevronIcon = () => (
  <Icon>
    <path d="M4 6l4 4 4-4" fill="none" stroke="currentColor" strokeWidth="1.5" />
  </Icon>
)

export const CheckIcon = () => (
  <Icon>
    <path d="M3 8.5l3.2 3L13 4.5" fill="none" stroke="currentColor" strokeWidth="1.7" />
  </Icon>
)
