import { type NotificationData, notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'

const SUCCESS_SHOWN_MS = 6_000
const ERROR_SHOWN_MS = 10_000
const WARNING_SHOWN_MS = 30_000

/** A success message. */
export const notifyDone = (message: ReactNode) => show({ message, color: 'success', autoClose: SUCCESS_SHOWN_MS })

const LEFT = 'left'

/** A success message where something is left to do: it stays longer, and its content gets `close`. */
export function notifyLeft(message: (close: () => void) => ReactNode): void {
  closeLeft() // a second one with its id would be dropped
  show({ id: LEFT, message: message(closeLeft), color: 'warning', autoClose: WARNING_SHOWN_MS })
}

/** Closes it, so that it covers nothing. */
export const closeLeft = () => void notifications.hide(LEFT)

/** An error message, where no field or page can show it. */
export const notifyError = (error: Error) =>
  show({ message: error.message, color: 'danger', autoClose: ERROR_SHOWN_MS })

/** Its cross has a name of its own: a dialog or panel beside it has one too. */
const show = (notice: NotificationData) =>
  void notifications.show({ ...notice, closeButtonProps: { 'aria-label': 'Close notice' } })
