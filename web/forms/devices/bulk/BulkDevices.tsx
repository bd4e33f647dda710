import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { BulkFailures } from './BulkFailures.tsx'
import { devicesOf, WORDS } from './bulk-words.ts'
import { ConfirmMany } from './ConfirmMany.tsx'
import type { BulkAction, Chosen } from './run-bulk.ts'
import { TagsForm } from './TagsForm.tsx'
import { useBulk } from './use-bulk.ts'

/** Up to this many are enabled or disabled at a click: it is easily undone. */
const AT_ONCE = 50

interface BulkDevicesProps {
  slug: string
  kind: BulkAction['kind']
  chosen: Chosen
  suggestions: string[]
  /** Those that stay selected: nobody, or those with which it failed. */
  onDone: (left: Chosen) => void
  onClose: () => void
}

/** Does something with many devices: asks first, says how far it is, and in the end what has failed. */
export default function BulkDevices({ slug, kind, chosen, suggestions, onDone, onClose }: BulkDevicesProps) {
  useReturnFocus()
  const asks = kind === 'delete' || kind === 'tags' || chosen.size > AT_ONCE
  const { state, start, stop } = useBulk({ slug, chosen, first: asks ? undefined : { kind }, onDone, onClose })
  const { verb, doing } = WORDS[kind]
  const action = `${verb} ${devicesOf(chosen.size)}`

  if (state.step === 'failed') {
    return (
      <Modal opened onClose={onClose} title={`Not all devices were ${WORDS[kind].done}`} size="lg">
        <BulkFailures action={state.action} report={state.report} onClose={onClose} />
      </Modal>
    )
  }
  if (state.step === 'running') {
    const title = `${doing} ${devicesOf(state.of)}`
    return (
      <Modal opened onClose={stop} title={title} closeOnClickOutside={false}>
        <Stack>
          <Progress value={(100 * state.done) / state.of} aria-label={title} />
          <Text size="sm" role="status">
            {state.done.toLocaleString()} of {state.of.toLocaleString()}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={stop} data-autofocus>
              Stop
            </Button>
          </Group>
        </Stack>
      </Modal>
    )
  }
  return (
    <Modal opened onClose={onClose} title={kind === 'tags' ? action : `${action}?`}>
      {kind === 'tags' ? (
        <TagsForm
          suggestions={suggestions}
          submit="Save tags"
          onTags={(tags) => start({ kind, ...tags })}
          onCancel={onClose}
        />
      ) : (
        <ConfirmMany
          chosen={chosen}
          action={action}
          warning={WARNINGS[kind]}
          types={kind === 'delete'}
          onConfirm={() => start({ kind })}
          onCancel={onClose}
        />
      )}
    </Modal>
  )
}

const WARNINGS = {
  delete:
    'This permanently deletes these devices, and their check-ins will be refused. To keep them in the list, disable them instead.',
  enable: 'These devices will be marked as enabled.',
  disable: 'These devices will be marked as disabled. They stay in the list and can still check in.',
}
