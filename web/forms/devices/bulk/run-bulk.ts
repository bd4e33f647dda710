import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { deleteDevices, devicesById, MAX_ITEMS, type Refusals, updateDevices } from '../../../api/bulk-devices.ts'
import { ApiError } from '../../../api/client.ts'
import { notifyDone } from '../../../ui/notify.ts'

/** What is done with many devices. */
export type BulkAction =
  | { kind: 'enable' }
  | { kind: 'disable' }
  | { kind: 'delete' }
  | { kind: 'tags'; add: string[]; remove: string[] }

/** By id, their names. */
export type Chosen = ReadonlyMap<string, string>

export interface BulkReport {
  done: number
  /** By id: why it was not done. Those that nobody came to are among them, without a reason. */
  failed: Map<string, { name: string; why: string | undefined }>
  /** Why it ended early. */
  failure: ApiError | undefined
}

interface BulkOptions {
  signal: AbortSignal
  onProgress: (done: number) => void
}

/** Does it with each device on its own, some hundreds by one call. When a call fails as a whole, it ends there. */
async function runBulk(
  slug: string,
  action: BulkAction,
  chosen: Chosen,
  { signal, onProgress }: BulkOptions,
): Promise<BulkReport> {
  const failed: BulkReport['failed'] = new Map()
  const ids = [...chosen.keys()]
  const fail = (id: string, why?: string) => failed.set(id, { name: chosen.get(id) ?? id, why })
  let failure: ApiError | undefined
  let at = 0
  for (; at < ids.length && !signal.aborted && !failure; at += MAX_ITEMS) {
    const part = ids.slice(at, at + MAX_ITEMS)
    try {
      const refused = await act(slug, action, part, signal)
      for (const [index, [refusal]] of refused.entries()) if (refusal) fail(part[index] ?? '', refusal.message)
      onProgress(Math.min(at + MAX_ITEMS, ids.length))
    } catch (error) {
      if (!signal.aborted && !(error instanceof ApiError)) throw error
      failure = error instanceof ApiError ? error : undefined
      for (const id of part) fail(id)
    }
  }
  for (const id of ids.slice(at)) fail(id)
  return { done: ids.length - failed.size, failed, failure }
}

async function act(slug: string, action: BulkAction, ids: string[], signal: AbortSignal): Promise<Refusals> {
  if (action.kind === 'delete') return deleteDevices(slug, ids, signal)
  if (action.kind !== 'tags') {
    const enabled = action.kind === 'enable'
    return updateDevices(
      slug,
      ids.map((id) => ({ id, enabled })),
      signal,
    )
  }
  const tagsOf = new Map((await devicesById(slug, ids, signal)).map(({ id, tags }) => [id, tags])) // as they are now
  const { add, remove } = action
  const changes = ids.map((id) => ({
    id,
    tags: [...new Set([...(tagsOf.get(id) ?? []), ...add])].filter((tag) => !remove.includes(tag)),
  }))
  return updateDevices(slug, changes, signal)
}

interface Words {
  /** On the button. */
  verb: string
  doing: string
  done: string
}

export const WORDS: Record<BulkAction['kind'], Words> = {
  enable: { verb: 'Enable', doing: 'Enabling', done: 'enabled' },
  disable: { verb: 'Disable', doing: 'Disabling', done: 'disabled' },
  delete: { verb: 'Delete', doing: 'Deleting', done: 'deleted' },
  tags: { verb: 'Edit tags of', doing: 'Changing tags of', done: 'changed' },
}

export const devicesOf = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'device' : 'devices'}`

type BulkState =
  | { step: 'asking' }
  | { step: 'running'; done: number; of: number }
  | { step: 'failed'; action: BulkAction; report: BulkReport }

interface UseBulkOptions {
  slug: string
  chosen: Chosen
  /** Begins at once with this; undefined: somebody is asked first. */
  first: BulkAction | undefined
  onDone: (left: Chosen) => void
  onClose: () => void
}

/** The steps of one action with many devices. */
export function useBulk({ slug, chosen, first, onDone, onClose }: UseBulkOptions) {
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
