import { type KeyboardEvent, type PointerEvent, useState } from 'react'

const FAR = 7

/**
 * The interval of a chart that is pointed at, by pointer, touch or keys; undefined: none. The returned properties are
 * for the element that covers the chart.
 */
export function useChartCursor(count: number) {
  const [chosen, setChosen] = useState<number>()
  const last = count - 1
  const index = chosen === undefined ? undefined : Math.min(chosen, last)

  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(Math.max(0, Math.min(last, Math.floor(((clientX - left) / width) * count))))
  }
  const press = (event: KeyboardEvent) => {
    const from = index ?? last
    const to: Record<string, number | undefined> = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - FAR,
      PageUp: from + FAR,
      Home: 0,
      End: last,
    }
    if (event.key === 'Escape') setChosen(undefined)
    const wanted = to[event.key]
    if (wanted === undefined) return
    event.preventDefault() // the page would scroll
    setChosen(Math.max(0, Math.min(last, wanted)))
  }
  return {
    index,
    cursor: {
      onPointerMove: point,
      onPointerDown: point,
      onPointerLeave: () => setChosen(undefined),
      onFocus: () => setChosen((before) => before ?? last),
      onBlur: () => setChosen(undefined),
      onKeyDown: press,
    },
  }
}
