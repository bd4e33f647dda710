import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { notifyDone, notifyError } from './notify.ts'
import { download, type FileContent, type FileProgress, gather } from './save-file.ts'

interface SaveFileProps extends FileContent {
  /** What the button says. */
  label: string
  /** Once the file is there. */
  done: string
  name: () => string
}

/** Saves a complete list as a file, made here in the browser; it says how far it is, and can be stopped. */
export function SaveFile({ label, done, name, ...content }: SaveFileProps) {
  const [progress, setProgress] = useState<FileProgress>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const save = async () => {
    const stop = new AbortController()
    running.current = stop
    setProgress({ done: 0, of: 0 })
    try {
      const file = await gather(content, (now) => stop.signal.aborted || setProgress(now), stop.signal)
      if (!file) return
      download(file, name())
      notifyDone(done)
    } catch (error) {
      if (error instanceof Error && !stop.signal.aborted) notifyError(error)
    } finally {
      if (running.current === stop) setProgress(undefined)
    }
  }

  const cancel = () => {
    running.current?.abort()
    running.current = undefined
    setProgress(undefined)
  }

  if (!progress) {
    return (
      <Button variant="default" onClick={save}>
        {label}
      </Button>
    )
  }
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        Exporting … {progress.of > 0 && `${progress.done.toLocaleString()} of ${progress.of.toLocaleString()}`}
      </Text>
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  )
}
