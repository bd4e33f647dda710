import type { ReactNode } from 'react'

/** Dialogs are held still by the stylesheet (portal.css), which needs no script for it. */
export const RemoveScroll = ({ children }: { children: ReactNode }) => <div>{children}</div>
