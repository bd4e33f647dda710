import { Alert, Anchor, Button, FileButton, Group, Progress, Stack, Text, Textarea } from '@mantine/core'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { Dialog } from '../../../ui/Dialog.tsx'
import { download } from '../../../ui/SaveFile.tsx'
import { useReturnFocus } from '../../../ui/use-return-focus.ts'
import styles from './ImportDevices.module.css'
import { ImportPreview } from './ImportPreview.tsx'
import { ImportReport } from './ImportReport.tsx'
import { FileError } from './reader.ts'
import { type RefusedFile, useImport } from './use-import.ts'

/** Brings devices of a CSV or JSON file into the portal. Nothing is written before somebody has seen what would be. */
export default function ImportDevices({ slug, onClose }: { slug: string; onClose: () => void }) {
  const { state, choose, back, start, proceed, stop } = useImport(slug)
  const [pasted, setPasted] = useState('')
  const isWriting = state.step === 'writing'
  const place = useFocusOnEachStep(state.step)
  useReturnFocus()
  return (
    <Dialog
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
            words={`${state.doing}…`}
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
    </Dialog>
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

const EXAMPLE = [
  'name,description,enabled,tags,firmwareVersion,location.name,location.address,location.latitude,location.longitude,location.timeZone',
  'press-7,Hydraulic press,true,berlin;pilot,2.1.0,Berlin plant,,52.52,13.405,Europe/Berlin',
  '',
].join('\n')

interface ChooseFileProps {
  refused: RefusedFile | undefined
  /** Kept by whoever shows this, so that it can be put right after a look at what is wrong. */
  pasted: string
  onPaste: (text: string) => void
  onChoose: (name: string, content: Blob) => void
}

/** A file is chosen, dropped here, or its text pasted. */
function ChooseFile({ refused, pasted, onPaste, onChoose }: ChooseFileProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file) onChoose(file.name, file)
  }
  return (
    <Stack>
      {refused && <Refused {...refused} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for a pointer that drags; the button does the same */}
      <div
        className={styles['drop']}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileButton
          onChange={(file) => file && onChoose(file.name, file)}
          accept=".csv,.json,.txt,text/csv,application/json"
        >
          {(props) => (
            <Button {...props} data-autofocus>
              Choose a file
            </Button>
          )}
        </FileButton>
        <Text>or drop it here: CSV or JSON, UTF-8</Text>
        <Text size="sm" c="dimmed">
          The first line of a CSV file names the columns; “name” must be one of them. A file that was exported here can
          be changed and imported again.{' '}
          <Anchor component="button" type="button" inherit onClick={() => download(new Blob([EXAMPLE]), 'devices.csv')}>
            Download an example
          </Anchor>
        </Text>
      </div>
      <Textarea
        label="Or paste the text"
        value={pasted}
        onChange={(event) => onPaste(event.currentTarget.value)}
        placeholder={'name,tags\npress-7,berlin;pilot'}
        classNames={{ input: 'mono' }}
        rows={4}
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          disabled={pasted.trim() === ''}
          onClick={() => onChoose('Pasted text', new Blob([pasted]))}
        >
          Check the text
        </Button>
      </Group>
    </Stack>
  )
}

const Refused = ({ name, error }: RefusedFile) => (
  <Alert color="danger" role="alert" title={`Nothing of “${name}” was imported`}>
    {error instanceof FileError && error.line !== undefined && `Line ${error.line.toLocaleString()}: `}
    {error.message}
  </Alert>
)
