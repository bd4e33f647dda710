import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useRef } from 'react'
import { useCopy } from '../../ui/use-copy.ts'

/** Code to copy. Long lines scroll inside it. */
export function CodeField({ label, code }: { label: string; code: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { copied, copy } = useCopy(field)
  return (
    <Stack gap="xs">
      <Textarea
        ref={field}
        aria-label={label}
        value={code.trimEnd()}
        readOnly
        rows={code.trimEnd().split('\n').length}
        wrap="off"
        spellCheck={false}
        classNames={{ input: 'mono' }}
        styles={{ input: { fontSize: 'var(--mantine-font-size-xs)', overflowX: 'auto' } }}
      />
      <Group justify="flex-end">
        <Button variant="default" size="xs" onClick={() => copy(code)} aria-label={`Copy ${label}`}>
          <span aria-live="polite">
            {copied === 'done' ? 'Copied' : copied === 'refused' ? 'Press Ctrl+C' : 'Copy'}
          </span>
        </Button>
      </Group>
    </Stack>
  )
}
