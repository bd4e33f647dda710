import { Button, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { namedDevices } from '../../api/bulk-devices.ts'
import type { DeviceList, DeviceSearch } from '../../api/devices.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { notifyError } from '../../ui/notify.ts'
import styles from './DeviceSelection.module.css'
import { SELECT_PAGE, type Selected } from './use-selection.ts'

const BulkDevices = lazyDialog(() => import('../../forms/devices/bulk/BulkDevices.tsx'))

const ACTIONS = [
  ['tags', 'Edit tags'],
  ['enable', 'Enable'],
  ['disable', 'Disable'],
  ['delete', 'Delete'],
] as const

interface DeviceSelectionProps {
  slug: string
  wanted: DeviceSearch
  list: DeviceList
  /** How many match on all pages, once that is known. */
  count: number | undefined
  selected: Selected
  onSelect: (selected: Selected) => void
  onClose: () => void
}

/** How many devices are selected, and what can be done with them. */
export default function DeviceSelection(props: DeviceSelectionProps) {
  const { slug, wanted, list, count, selected, onSelect, onClose } = props
  const [action, setAction] = useState<(typeof ACTIONS)[number][0]>()
  const all = useSelectAll(slug, wanted, onSelect)
  useFocusAfterwards(selected.size)
  const isPage = list.data.every(({ id }) => selected.has(id))
  const hasMore = list.pageInfo.hasNextPage || wanted.after !== undefined
  return (
    <>
      {selected.size > 0 && (
        <section className={styles['bar']} aria-label="Selected devices">
          <Text size="sm" fw={500} role="status" className={styles['words']}>
            {all.found === undefined
              ? `${selected.size.toLocaleString()} selected`
              : `Selecting… ${all.found.toLocaleString()}`}
          </Text>
          {all.found !== undefined ? (
            <Button variant="default" size="compact-sm" onClick={all.stop}>
              Cancel
            </Button>
          ) : (
            <>
              {isPage && hasMore && !all.isDone(selected) && (
                <Button variant="subtle" size="compact-sm" onClick={all.start}>
                  {count === undefined ? 'Select all that match' : `Select all ${count.toLocaleString()}`}
                </Button>
              )}
              <Button variant="subtle" size="compact-sm" onClick={onClose}>
                Clear
              </Button>
              {ACTIONS.map(([kind, label]) => (
                <Button
                  key={kind}
                  variant="default"
                  size="compact-sm"
                  onClick={() => setAction(kind)}
                  {...(kind === 'delete' && { c: 'var(--danger-text)' })}
                >
                  {label}
                </Button>
              ))}
            </>
          )}
        </section>
      )}
      {action && (
        <BulkDevices
          slug={slug}
          kind={action}
          chosen={selected}
          suggestions={[...new Set(list.data.flatMap(({ tags }) => tags))]}
          onDone={onSelect}
          onClose={() => setAction(undefined)}
        />
      )}
    </>
  )
}

/** The buttons go away with the selection: whoever has pressed one by keyboard goes on at the head of the list. */
function useFocusAfterwards(count: number): void {
  useEffect(() => {
    if (count === 0 && document.activeElement === document.body) document.getElementById(SELECT_PAGE)?.focus()
  }, [count])
}

/** Every device that matches, not only those on the page: found page by page, so that what is selected is known exactly. */
function useSelectAll(slug: string, wanted: DeviceSearch, onSelect: (selected: Selected) => void) {
  const [found, setFound] = useState<number>()
  const [whole, setWhole] = useState<number>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const start = async () => {
    const stop = new AbortController()
    running.current = stop
    const selected = new Map<string, string>()
    setFound(0)
    try {
      for await (const devices of namedDevices(slug, wanted, stop.signal)) {
        if (stop.signal.aborted) return
        for (const { id, name } of devices) selected.set(id, name)
        setFound(selected.size)
      }
      setWhole(selected.size)
      onSelect(selected)
    } catch (error) {
      if (!stop.signal.aborted && error instanceof Error) notifyError(error)
    } finally {
      setFound(undefined)
    }
  }
  return { found, start, stop: () => running.current?.abort(), isDone: (selected: Selected) => selected.size === whole }
}
