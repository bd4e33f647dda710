import type { NotificationData } from '@mantine/notifications'
import type { ReactNode } from 'react'

const SUCCESS_SHOWN_MS = 6_000
const ERROR_SHOWN_MS = 10_000
const WARNING_SHOWN_MS = 30_000

/** Tells `Notices` that it is wanted. */
export const NOTICE = 'portal-notice'

/** A success message. */
export const notifyDone = (message: ReactNode) => void show({ message, color: 'teal', autoClose: SUCCESS_SHOWN_MS })

const LEFT = 'left'

/** The same where something is left to do: it stays longer, and its content gets `close`. */
export const notifyLeft = (message: (close: () => void) => ReactNode) =>
  void show({ id: LEFT, message: message(closeLeft), color: 'yellow', autoClose: WARNING_SHOWN_MS })

/** Closes it, so that it covers nothing. */
export const closeLeft = () =>
  void import('@mantine/notifications').then(
    ({ notifications }) => notifications.hide(LEFT),
    () => undefined, // where it could not be loaded, nothing is shown
  )

/** An error message, where no field or page can show it. */
export const notifyError = (error: Error) =>
  void show({ message: error.message, color: 'red', autoClose: ERROR_SHOWN_MS })

async function show(notice: NotificationData): Promise<void> {
  window.dispatchEvent(new Event(NOTICE))
  const loaded = await import('@mantine/notifications').catch(() => undefined) // offline: the page goes on without it
  loaded?.notifications.show({ ...notice, closeButtonProps: { 'aria-label': 'Close' } })
}
