import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { notifyDone } from '../../../ui/notify.ts'
import { devicesOf, WORDS } from './bulk-words.ts'
import { type BulkAction, type BulkReport, type Chosen, runBulk } from './run-bulk.ts'

type BulkState =
  | { step: 'asking' }
  | { step: 'running'; done: number; of: number }
  | { step: 'failed'; action: BulkAction; report: BulkReport }

interface BulkOptions {
  slug: string
  chosen: Chosen
  /** Begins at once with this; undefined: somebody is asked first. */
  first: BulkAction | undefined
  onDone: (left: Chosen) => void
  onClose: () => void
}

/** The steps of one action with many devices. */
export function useBulk({ slug, chosen, first, onDone, onClose }: BulkOptions) {
  const queryClient = useQueryClient()
  const [state, setState] = useState<BulkState>({ step: first ? 'running' : 'asking', done: 0, of: chosen.size })
  const running = useRef<AbortController>(undefined)

  const start = async (action: BulkAction) => {
    const stop = new AbortController()
    running.current = stop
    const of = chosen.size
    setState({ step: 'running', done: 0, of })
    const onProgress = (done: number) => setState({ step: 'running', done, of })
    const report = await runBulk(slug, action, chosen, { signal: stop.signal, onProgress })
    onDone(new Map([...report.failed].map(([id, { name }]) => [id, name])))
    void queryClient.invalidateQueries({ queryKey: ['devices', slug] })
    if (report.failed.size > 0) {
      setState({ step: 'failed', action, report })
      return
    }
    notifyDone(`${devicesOf(report.done)} ${WORDS[action.kind].done}.`)
    onClose()
  }

  const begin = useEffectEvent(() => {
    if (first && !running.current) void start(first)
  })
  useEffect(() => begin(), [])

  return { state, start, stop: () => running.current?.abort() }
}
