import type { NotificationData } from '@mantine/notifications'
import type { ReactNode } from 'react'

const SUCCESS_SHOWN_MS = 6_000
const ERROR_SHOWN_MS = 10_000
const WARNING_SHOWN_MS = 30_000

/** The cross of a notice: a dialog or panel beside it has one too. */
export const CLOSE_NOTICE = 'Close notice'

/** Tells `Notices` that it is wanted. */
export const NOTICE = 'portal-notice'

/** Tells `Notices` of one that it has to show by itself, or no longer. */
export const PLAIN_NOTICE = 'portal-plain-notice'
export const PLAIN_NOTICE_OVER = 'portal-plain-notice-over'

/** As much of a notice as can be shown without the code for notices. */
export interface PlainNotice {
  id: string
  message: ReactNode
  shownMs: number
}

/** A success message. */
export const notifyDone = (message: ReactNode) => void show({ message, color: 'teal', autoClose: SUCCESS_SHOWN_MS })

const LEFT = 'left'

/** The same where something is left to do: it stays longer, and its content gets `close`. */
export const notifyLeft = (message: (close: () => void) => ReactNode) =>
  void show({ id: LEFT, message: message(closeLeft), color: 'yellow', autoClose: WARNING_SHOWN_MS })

/** Closes it, so that it covers nothing. */
export const closeLeft = () => {
  window.dispatchEvent(new CustomEvent<string>(PLAIN_NOTICE_OVER, { detail: LEFT }))
  void import('@mantine/notifications').then(
    ({ notifications }) => notifications.hide(LEFT),
    () => undefined, // where it could not be loaded, none of them is shown
  )
}

/** An error message, where no field or page can show it. */
export const notifyError = (error: Error) =>
  void show({ message: error.message, color: 'red', autoClose: ERROR_SHOWN_MS })

interface Notice extends NotificationData {
  autoClose: number
}

/** If the code for notices cannot be loaded, the page shows it plainly: what was done is never kept quiet. */
async function show(notice: Notice): Promise<void> {
  window.dispatchEvent(new Event(NOTICE))
  try {
    const { notifications } = await import('@mantine/notifications')
    if (notice.id) notifications.hide(notice.id) // a second one with its id would be dropped
    notifications.show({ ...notice, closeButtonProps: { 'aria-label': CLOSE_NOTICE } })
  } catch {
    const { id = crypto.randomUUID(), message, autoClose: shownMs } = notice
    window.dispatchEvent(new CustomEvent<PlainNotice>(PLAIN_NOTICE, { detail: { id, message, shownMs } }))
  }
}
