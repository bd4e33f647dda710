import { useState } from 'react'

const PLACE = 'device-rows'

/** Whether the rows of the list are compact, as this browser remembers it. */
export function useDensity() {
  const [isCompact, setCompact] = useState(read)
  return {
    isCompact,
    setCompact: (next: boolean) => {
      setCompact(next)
      write(next)
    },
  }
}

export type Density = ReturnType<typeof useDensity>

function read(): boolean {
  try {
    return localStorage.getItem(PLACE) === 'compact'
  } catch {
    return false
  }
}

/** A browser that stores nothing has comfortable rows the next time. */
function write(isCompact: boolean): void {
  try {
    localStorage.setItem(PLACE, isCompact ? 'compact' : 'comfortable')
  } catch {}
}
