import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import { ChooseFile } from './ChooseFile.tsx'
import { ImportPreview } from './ImportPreview.tsx'
import { ImportReport } from './ImportReport.tsx'
import { useImport } from './use-import.ts'

/** Brings devices of a CSV or JSON file into the portal. Nothing is written before somebody has seen what would be. */
export default function ImportDevices({ slug, onClose }: { slug: string; onClose: () => void }) {
  const { state, choose, back, start, proceed, stop } = useImport(slug)
  const [pasted, setPasted] = useState('')
  const isWriting = state.step === 'writing'
  const place = useFocusOnEachStep(state.step)
  useReturnFocus()
  return (
    <Modal
      opened
      onClose={isWriting ? stop : onClose}
      title="Import devices"
      size="xl"
      closeOnClickOutside={state.step === 'choose'}
    >
      <div ref={place} tabIndex={-1} className="quiet-focus">
        {state.step === 'choose' && (
          <ChooseFile refused={state.refused} pasted={pasted} onPaste={setPasted} onChoose={choose} />
        )}
        {state.step === 'reading' && (
          <Running
            words={`${state.doing} …`}
            share={state.share ?? 1}
            isOpenEnded={state.share === undefined}
            onStop={back}
          />
        )}
        {state.step === 'preview' && (
          <ImportPreview checked={state.checked} onStart={(mode) => start(state.checked, mode)} onBack={back} />
        )}
        {isWriting && (
          <Running
            words={`${state.written.toLocaleString()} of ${state.of.toLocaleString()} devices are written.`}
            share={state.of === 0 ? 1 : state.written / state.of}
            onStop={stop}
          />
        )}
        {state.step === 'report' && <ImportReport state={state} onProceed={proceed} onClose={onClose} />}
      </div>
    </Modal>
  )
}

/** The button that was pressed is gone: whoever works by keyboard goes on at the top of the next step. */
function useFocusOnEachStep(step: string) {
  const place = useRef<HTMLDivElement>(null)
  const before = useRef(step)
  useEffect(() => {
    if (before.current !== step) place.current?.focus()
    before.current = step
  }, [step])
  return place
}

interface RunningProps {
  words: string
  share: number
  /** Nobody knows how long it takes. */
  isOpenEnded?: boolean
  onStop: () => void
}

function Running({ words, share, isOpenEnded = false, onStop }: RunningProps) {
  return (
    <Stack>
      <Progress value={100 * share} animated={isOpenEnded} aria-label="Progress of the import" />
      <Text size="sm" role="status">
        {words}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStop} data-autofocus>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}
