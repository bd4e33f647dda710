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
import styles from './SidePanel.module.css'

interface SidePanelProps {
  title: string
  onClose: () => void
  closeOnEscape: boolean
  children: ReactNode
}

/** A dialog along the right side, on a phone over all of it. Of the parts of Mantine's Drawer, only what it needs. */
export const SidePanel = ({ title, onClose, closeOnEscape, children }: SidePanelProps) => (
  <ModalBase
    opened
    onClose={onClose}
    closeOnEscape={closeOnEscape}
    closeOnClickOutside
    withinPortal
    trapFocus
    returnFocus
    transitionProps={{ duration: 0 }}
    padding="md"
  >
    <ModalBaseOverlay />
    <ModalBaseContent
      className={styles['panel'] ?? ''}
      radius={0}
      innerProps={{ className: styles['side'] ?? '' }}
      data-in-address
    >
      <ModalBaseHeader role="presentation">
        <ModalBaseTitle className={styles['title'] ?? ''}>{title}</ModalBaseTitle>
        <ModalBaseCloseButton aria-label="Close" />
      </ModalBaseHeader>
      <ModalBaseBody>{children}</ModalBaseBody>
    </ModalBaseContent>
  </ModalBase>
)
