import type { NotificationData } from '@mantine/notifications'

/** Tells `Notices` that it is wanted. */
export const NOTICE = 'portal-notice'

/** Says that something was done. */
export const notifyDone = (message: string) => void show({ message, color: 'teal', autoClose: 6_000 })

/** Says that something did not work, where no field or page can say it. */
export const notifyTrouble = (error: Error) => void show({ message: error.message, color: 'red', autoClose: 10_000 })

async function show(notice: NotificationData): Promise<void> {
  window.dispatchEvent(new Event(NOTICE))
  const { notifications } = await import('@mantine/notifications')
  notifications.show({ ...notice, closeButtonProps: { 'aria-label': 'Close' } })
}
