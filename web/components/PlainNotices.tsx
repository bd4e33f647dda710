import { CloseButton } from '@mantine/core'
import { useEffect, useState } from 'react'
import { CLOSE_NOTICE, PLAIN_NOTICE, PLAIN_NOTICE_OVER, type PlainNotice } from '../ui/notify.ts'
import styles from './PlainNotices.module.css'

/** Notices while the code that shows them better cannot be loaded: with no connection, or after an upgrade. */
export function PlainNotices() {
  const [notices, setNotices] = useState<readonly PlainNotice[]>([])
  useEffect(() => {
    const remove = (id: string) => setNotices((shown) => shown.filter((notice) => notice.id !== id))
    const show = (event: Event) => {
      const { detail } = event as CustomEvent<PlainNotice> // as notify.ts sends it
      setNotices((shown) => [...shown.filter(({ id }) => id !== detail.id), detail])
      setTimeout(() => remove(detail.id), detail.shownMs)
    }
    const hide = (event: Event) => remove((event as CustomEvent<string>).detail)
    window.addEventListener(PLAIN_NOTICE, show)
    window.addEventListener(PLAIN_NOTICE_OVER, hide)
    return () => {
      window.removeEventListener(PLAIN_NOTICE, show)
      window.removeEventListener(PLAIN_NOTICE_OVER, hide)
    }
  }, [])
  return (
    <div className={styles['notices']} role="status">
      {notices.map(({ id, message }) => (
        <div key={id} className={styles['notice']}>
          <div>{message}</div>
          <CloseButton
            aria-label={CLOSE_NOTICE}
            onClick={() => setNotices(notices.filter((notice) => notice.id !== id))}
          />
        </div>
      ))}
    </div>
  )
}
