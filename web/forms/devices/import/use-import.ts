import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { createDevices, devicesByName, upsertDevices } from '../../../api/bulk-devices.ts'
import { ApiError } from '../../../api/client.ts'
import type { FileRow } from './check-devices.ts'
import { type ExistingDevice, type ImportMode, type PlannedRow, planImport, rowsToWrite } from './plan-import.ts'
import { type DevicesFile, readDevices } from './read-devices.ts'
import { FileError } from './reader.ts'
import { type WriteReport, writeRows } from './write-rows.ts'

/** The steps of an import: nothing is written before the whole file is checked and somebody has seen what would happen. */
export function useImport(slug: string) {
  const queryClient = useQueryClient()
  const [state, setState] = useState<ImportState>({ step: 'choose' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  useWarningBeforeLeaving(state.step === 'writing')

  const begin = () => {
    running.current?.abort()
    running.current = new AbortController()
    return running.current.signal
  }

  const read = async (name: string, content: Blob, signal: AbortSignal) => {
    const onProgress = (share: number) => setState({ step: 'reading', doing: `Reading ${name}`, share })
    onProgress(0)
    const file = await readDevices(content, { onProgress, signal })
    const plan = file.errorCount > 0 ? [] : await compare(file.rows, signal)
    setState({ step: 'preview', checked: { name, file, plan } })
  }

  const compare = async (rows: readonly FileRow[], signal: AbortSignal): Promise<PlannedRow[]> => {
    const existing = new Map<string, ExistingDevice>()
    const tell = () =>
      setState({
        step: 'reading',
        doing: `Comparing with the devices of the portal: ${existing.size.toLocaleString()}`,
        share: undefined,
      })
    tell()
    const names = rows.map(({ device }) => device.name)
    for await (const devices of devicesByName(slug, names, signal)) {
      signal.throwIfAborted()
      for (const device of devices) existing.set(device.name, device)
      tell()
    }
    return planImport(rows, existing)
  }

  const write = async (plan: readonly PlannedRow[], job: Job, signal: AbortSignal) => {
    const rows = rowsToWrite(plan, job.mode)
    const tell = (written: number) => setState({ step: 'writing', written, of: rows.length })
    tell(0)
    const send = job.mode === 'create' ? createDevices : upsertDevices
    const report = await writeRows(rows, (inputs) => send(slug, inputs, signal), { signal, onWritten: tell })
    void queryClient.invalidateQueries({ queryKey: ['devices', slug] })
    const created = report.written.filter(({ fate }) => fate === 'create').length
    const updated = report.written.length - created
    setState({
      step: 'report',
      report,
      job: { ...job, created: job.created + created, updated: job.updated + updated },
    })
  }

  return {
    state,
    choose: (name: string, content: Blob) => {
      const signal = begin()
      read(name, content, signal).catch((error: unknown) => {
        if (!signal.aborted) setState({ step: 'choose', refused: { name, error: expected(error) } })
      })
    },
    /** Goes back, from a file that is being read too. */
    back: () => {
      running.current?.abort()
      setState({ step: 'choose' })
    },
    start: (checked: Checked, mode: ImportMode) =>
      void write(checked.plan, { checked, mode, created: 0, updated: 0, skipped: [] }, begin()),
    /** Compares what is left with the portal first: of a call whose answer was lost, what was done is not done again. */
    proceed: (rows: readonly FileRow[], job: Job) => {
      const signal = begin()
      const failed = (error: unknown) => {
        const failure = signal.aborted ? undefined : expected(error)
        const report = { written: [], rest: [...rows], errors: [], failure }
        setState({ step: 'report', job, report })
      }
      void compare(rows, signal).then((plan) => write(plan, job, signal), failed)
    },
    stop: () => running.current?.abort(),
  }
}

/** Anything else is a bug. */
function expected(error: unknown): FileError | ApiError {
  if (error instanceof FileError || error instanceof ApiError) return error
  throw error
}

/** The browser asks before the page is closed or loaded again. */
function useWarningBeforeLeaving(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isOn])
}

/** A file that was read, checked and compared with the devices that are there. */
export interface Checked {
  name: string
  file: DevicesFile
  plan: PlannedRow[]
}

/** An import that somebody has started, with what became of it so far. */
export interface Job {
  checked: Checked
  mode: ImportMode
  created: number
  updated: number
  /** Lines that the portal refused, and that were left out on purpose. */
  skipped: readonly FileRow[]
}

/** A file of which nothing can be imported, and why. */
export interface RefusedFile {
  name: string
  error: FileError | ApiError
}

export type ImportState =
  | { step: 'choose'; refused?: RefusedFile }
  | { step: 'reading'; doing: string; share: number | undefined }
  | { step: 'preview'; checked: Checked }
  | { step: 'writing'; written: number; of: number }
  | { step: 'report'; job: Job; report: WriteReport<FileRow> }
