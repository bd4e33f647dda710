import {
  ModalBase,
  ModalBaseBody,
  ModalBaseCloseButton,
  ModalBaseContent,
  ModalBaseHeader,
  ModalBaseOverlay,
  ModalBaseTitle,
} from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './Dialog.module.css'

interface DialogProps {
  title: string
  /** Without it there is nothing to close the dialog with. */
  onClose?: () => void
  size?: 'md' | 'lg' | 'xl'
  closeOnClickOutside?: boolean
  /** In the middle of the window; or, for a part of the page with an address of its own, along the right side. */
  place?: 'middle' | 'side'
  closeOnEscape?: boolean
  children: ReactNode
}

/** The dialog that every other is made of. Mantine's Modal and Drawer import its scroll bars, a tenth of a first load. */
export function Dialog({
  title,
  onClose,
  size = 'md',
  place = 'middle',
  closeOnClickOutside = true,
  closeOnEscape = true,
  children,
}: DialogProps) {
  return (
    <ModalBase
      opened
      onClose={onClose ?? (() => undefined)}
      closeOnEscape={closeOnEscape && onClose !== undefined}
      closeOnClickOutside={closeOnClickOutside && onClose !== undefined}
      withinPortal
      trapFocus
      returnFocus
      lockScroll={false} // portal.css does it; a script's inline style would be refused
      transitionProps={{ duration: 0 }} // its stylesheet moves it
      {...(place === 'side' && { padding: 'md' })}
    >
      <ModalBaseOverlay />
      <ModalBaseContent
        className={`${styles['dialog']} ${styles[size]}`}
        {...(place === 'side' && { radius: 0, 'data-in-address': true })}
        innerProps={{ className: styles[place] ?? '' }}
      >
        <ModalBaseHeader role="presentation" className={styles['head'] ?? ''}>
          <ModalBaseTitle className={styles['title'] ?? ''}>{title}</ModalBaseTitle>
          {onClose && <ModalBaseCloseButton aria-label="Close" />}
        </ModalBaseHeader>
        <ModalBaseBody>{children}</ModalBaseBody>
      </ModalBaseContent>
    </ModalBase>
  )
}
