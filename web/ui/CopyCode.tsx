import { Button } from '@mantine/core'
import { useRef } from 'react'
import styles from './CopyCode.module.css'
import { useCopy } from './use-copy.ts'

/** A piece of code with a copy button. Long lines scroll inside it. */
export function CopyCode({ label, value }: { label: string; value: string }) {
  const code = useRef<HTMLTextAreaElement>(null)
  const { copied, copy } = useCopy(code)
  return (
    <div className={styles['box']}>
      <textarea
        ref={code}
        className={styles['code']}
        aria-label={label}
        value={value}
        rows={value.split('\n').length}
        wrap="off"
        readOnly
        spellCheck={false}
      />
      <Button
        variant="default"
        size="compact-sm"
        className={styles['copy'] ?? ''}
        onClick={() => copy(value)}
        aria-label={`Copy ${label}`}
      >
        <span aria-live="polite">{copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : 'Copy'}</span>
      </Button>
    </div>
  )
}
