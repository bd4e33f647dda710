import { Button, InputBase } from '@mantine/core'
import { useRef } from 'react'
import { useCopy } from '../../../ui/use-copy.ts'
import styles from './CopyText.module.css'

interface CopyTextProps {
  label: string
  action: string
  value: string
  /** What the dialog is about: larger, and its button is the one to press. */
  isSecret?: boolean
}

/** A text that is shown whole, however narrow the screen, and copied with one click. */
export function CopyText({ label, action, value, isSecret = false }: CopyTextProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { copied, copy } = useCopy(field)
  return (
    <div className={styles['row']}>
      <InputBase
        component="textarea"
        multiline
        ref={field}
        label={label}
        value={value}
        readOnly
        rows={value.split('\n').length}
        autoComplete="off"
        spellCheck={false}
        classNames={{ label: styles['label'] ?? '', input: `mono ${styles[isSecret ? 'secret' : 'text']}` }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant={isSecret ? 'filled' : 'default'}
        size="compact-sm"
        className={styles['copy'] ?? ''}
        onClick={() => copy(value)}
        data-autofocus={isSecret || undefined}
      >
        <span aria-live="polite">{copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : action}</span>
      </Button>
    </div>
  )
}
