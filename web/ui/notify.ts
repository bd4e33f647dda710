import type { NotificationData } from '@mantine/notifications'
import type { ReactNode } from 'react'

/** Tells `Notices` that it is wanted. */
export const NOTICE = 'portal-notice'

/** Says that something was done. */
export const notifyDone = (message: ReactNode) => void show({ message, color: 'teal', autoClose: 6_000 })

const LEFT = 'left'

/** The same where something is left to do: it stays for long, and `close` is given to whatever stands in it. */
export const notifyLeft = (message: (close: () => void) => ReactNode) =>
  void show({ id: LEFT, message: message(closeLeft), color: 'yellow', autoClose: 30_000 })

/** Takes it away, so that it covers nothing. */
export const closeLeft = () =>
  void import('@mantine/notifications').then(
    ({ notifications }) => notifications.hide(LEFT),
    () => undefined, // where it could not be loaded, nothing is shown
  )

/** Says that something did not work, where no field or page can say it. */
export const notifyTrouble = (error: Error) => void show({ message: error.message, color: 'red', autoClose: 10_000 })

async function show(notice: NotificationData): Promise<void> {
  window.dispatchEvent(new Event(NOTICE))
  const { notifications } = await import('@mantine/notifications')
  notifications.show({ ...notice, closeButtonProps: { 'aria-label': 'Close' } })
}
