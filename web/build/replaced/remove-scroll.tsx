import type { ReactNode } from 'react'

const Still = ({ children }: { children: ReactNode }) => <div>{children}</div>

/** Dialogs are held still by the stylesheet (portal.css), which needs no script for it, and no class on what is fixed. */
export const RemoveScroll = Object.assign(Still, { classNames: { fullWidth: '', zeroRight: '' } })
