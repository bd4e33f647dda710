import { notifications } from '@mantine/notifications'

/** Says that something was done. */
export const notifyDone = (message: string) => notifications.show({ message, color: 'teal', autoClose: 6_000 })

/** Says that something did not work, where no field or page can say it. */
export const notifyTrouble = (error: Error) =>
  notifications.show({ message: error.message, color: 'red', autoClose: 10_000 })
