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

export const EyeIcon = ({ isCrossed }: { isCrossed: boolean }) => (
  <Icon>
    <g fill="none" stroke="currentColor" strokeWidth="1.3">
      <path d="M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8z" />
      <circle cx="8" cy="8" r="2" />
      {isCrossed && <path d="M2.5 13.5l11-11" />}
    </g>
  </Icon>
)
