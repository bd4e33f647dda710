import { Button, Kbd } from '@mantine/core'
import { Suspense, useCallback, useEffect, useState } from 'react'
import { useViewer } from '../../api/viewer.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconSearch } from '../../ui/icons/icons.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import type { Action } from './entries.ts'
import styles from './Jump.module.css'

const JumpDialog = lazyDialog(() => import('./JumpDialog.tsx'))
const Shortcuts = lazyDialog(() => import('./Shortcuts.tsx'))
const AddDevice = lazyDialog(() => import('../../forms/devices/AddDevice.tsx'))
const InviteUser = lazyDialog(() => import('../../forms/users/InviteUser.tsx'))
const CreateOrganization = lazyDialog(() => import('../../forms/organizations/CreateOrganization.tsx'))

/** The button in the header, its keys, and what it opens. */
export function Jump() {
  const { slug } = useViewer().organization
  const [open, setOpen] = useState<'jump' | Action>()
  useShortcuts(setOpen)
  const close = useCallback(() => setOpen(undefined), [])
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Icon of={IconSearch} />}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen('jump')}
      >
        Jump to…
        <Kbd className={styles['keys'] ?? ''} aria-hidden>
          Ctrl K
        </Kbd>
      </Button>
      <Suspense>
        {open === 'jump' && <JumpDialog onAction={setOpen} onClose={close} />}
        {open === 'shortcuts' && <Shortcuts onClose={close} />}
        {open === 'addDevice' && <AddDevice slug={slug} onClose={close} />}
        {open === 'inviteUser' && <InviteUser slug={slug} onClose={close} />}
        {open === 'createOrganization' && <CreateOrganization onClose={close} />}
      </Suspense>
    </>
  )
}

/** Single keys do nothing where somebody types, and none does anything above a dialog. */
function useShortcuts(open: (what: 'jump' | 'shortcuts') => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.defaultPrevented ||
        event.altKey ||
        document.querySelector('[aria-modal="true"]:not([data-in-address])')
      )
        return
      const isCommand = event.ctrlKey || event.metaKey
      if (isCommand && event.key.toLowerCase() === 'k') open('jump')
      else if (isCommand || isTyping(event.target)) return
      else if (event.key === '?') open('shortcuts')
      else if (event.key !== '/' || !focusSearch()) return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [open])
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** The search of the page, or of the panel above it; false: there is none. */
function focusSearch(): boolean {
  const field = [...document.querySelectorAll<HTMLInputElement>('input[type="search"]')].at(-1)
  field?.focus()
  return field !== undefined
}
