import { Alert, Anchor, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { type DragEvent, useState } from 'react'
import { download } from '../../../ui/save-file.ts'
import styles from './ChooseFile.module.css'
import { FileError } from './file-error.ts'
import type { RefusedFile } from './import-state.ts'

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
export function ChooseFile({ refused, pasted, onPaste, onChoose }: ChooseFileProps) {
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
  <Alert color="red" role="alert" title={`Nothing of “${name}” was imported`}>
    {error instanceof FileError && error.line !== undefined && `Line ${error.line.toLocaleString()}: `}
    {error.message}
  </Alert>
)
