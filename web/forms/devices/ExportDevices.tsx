import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { allDevices } from '../../api/bulk-devices.ts'
import { countDevices, type DeviceSearch, isFiltered } from '../../api/devices.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { download, type FilePart, type FileProgress, gather } from '../../ui/SaveFile.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { deviceLines, devicesHead, EXPORTED } from './device-csv.ts'

export type ExportFormat = 'csv' | 'json'

interface ExportDevicesProps {
  slug: string
  wanted: DeviceSearch
  format: ExportFormat
  onClose: () => void
}

const TYPES = { csv: 'text/csv;charset=utf-8', json: 'application/json' }

/** Saves all devices that match as a file, page by page; it says how far it is, and can be stopped. */
export default function ExportDevices({ slug, wanted, format, onClose }: ExportDevicesProps) {
  useReturnFocus()
  const [{ done, of }, setProgress] = useState<FileProgress>({ done: 0, of: 0 })

  const save = useEffectEvent(async (stop: AbortSignal) => {
    const parts = () => (format === 'csv' ? csvParts : jsonParts)(allDevices(slug, wanted, stop))
    const content = { type: TYPES[format], count: () => countDevices(slug, wanted), parts }
    try {
      let count = 0
      const tell = (progress: FileProgress) => {
        count = progress.done
        setProgress(progress)
      }
      const file = await gather(content, tell, stop)
      if (!file) return
      download(file, `devices-${slug}-${new Date().toISOString().slice(0, 10)}.${format}`)
      notifyDone(`${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'} exported.`)
    } catch (error) {
      if (stop.aborted) return
      if (error instanceof Error) notifyError(error)
    }
    onClose()
  })

  useEffect(() => {
    const stop = new AbortController()
    void save(stop.signal)
    return () => stop.abort()
  }, [])

  const share = of > 0 ? (100 * done) / of : 0
  return (
    <Dialog onClose={onClose} title={isFiltered(wanted) ? 'Export devices that match' : 'Export devices'}>
      <Stack>
        <Progress value={share} aria-label="Exported" />
        <Text size="sm" role="status">
          {of > 0 ? `${done.toLocaleString()} of ${of.toLocaleString()} devices` : 'Counting…'}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

type Pages = ReturnType<typeof allDevices>

async function* csvParts(pages: Pages): AsyncGenerator<FilePart> {
  yield { text: devicesHead(EXPORTED), entries: 0 }
  for await (const devices of pages) yield { text: deviceLines(devices, EXPORTED), entries: devices.length }
}

async function* jsonParts(pages: Pages): AsyncGenerator<FilePart> {
  let before = '[\n'
  for await (const devices of pages) {
    if (devices.length === 0) continue
    yield { text: before + devices.map((device) => JSON.stringify(device)).join(',\n'), entries: devices.length }
    before = ',\n'
  }
  yield { text: before === '[\n' ? '[]\n' : '\n]\n', entries: 0 }
}
