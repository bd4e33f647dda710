import { Button } from '@mantine/core'
import { useRef } from 'react'
import { useCopy } from '../../ui/use-copy.ts'
import styles from './CopyCode.module.css'

/** A piece of code with a copy button. */
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
      <Button variant="default" size="compact-sm" className={styles['copy'] ?? ''} onClick={() => copy(value)}>
        <span aria-live="polite">{copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : 'Copy'}</span>
      </Button>
    </div>
  )
}
