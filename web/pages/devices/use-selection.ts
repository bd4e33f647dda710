import { useMemo, useState } from 'react'
import type { DeviceSearch, ListedDevice } from '../../api/devices.ts'

/** The id of the box that selects a whole page. */
export const SELECT_PAGE = 'select-page'

/** The selected devices, by id, with their names. */
export type Selected = ReadonlyMap<string, string>

export interface Selection {
  selected: Selected
  /** Whether anything ever was: before, nothing that belongs to it is loaded. */
  isUsed: boolean
  select: (selected: Selected) => void
  clear: () => void
  /** Selects a row of the page or takes it back; with `isRange`, all rows from the last one that was clicked. */
  toggle: (devices: readonly ListedDevice[], index: number, isRange: boolean) => void
  /** All rows of the page, or none of them. */
  togglePage: (devices: readonly ListedDevice[]) => void
}

const NOTHING = { selected: new Map<string, string>() as Selected, last: '' }

/** What is selected stays so on other pages, in another order and with other columns. Another filter begins anew: nobody acts on what is hidden. */
export function useSelection({ after: _page, sort: _order, columns: _shown, ...filter }: DeviceSearch): Selection {
  const key = JSON.stringify(filter)
  const [state, setState] = useState({ key, ...NOTHING, isUsed: false })
  const { isUsed } = state
  const { selected, last } = state.key === key ? state : NOTHING

  return useMemo(() => {
    const keep = (next: Selected, id = '') => setState({ key, selected: next, last: id, isUsed: true })
    return {
      selected,
      isUsed,
      select: (next) => keep(next),
      clear: () => keep(NOTHING.selected),
      toggle(devices, index, isRange) {
        const id = devices[index]?.id ?? ''
        const from = isRange ? devices.findIndex((device) => device.id === last) : -1
        const [low, high] = from < 0 ? [index, index] : [Math.min(from, index), Math.max(from, index)]
        keep(marked(selected, devices.slice(low, high + 1), !selected.has(id)), id)
      },
      togglePage: (devices) => keep(marked(selected, devices, !devices.every(({ id }) => selected.has(id)))),
    }
  }, [key, selected, last, isUsed])
}

function marked(selected: Selected, devices: readonly ListedDevice[], isOn: boolean): Selected {
  const next = new Map(selected)
  for (const { id, name } of devices) {
    if (isOn) next.set(id, name)
    else next.delete(id)
  }
  return next
}
