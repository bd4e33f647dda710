const entered = new Set<EventTarget>()

/** Remembers the fields into which somebody enters something, until the function that it returns is called. */
export function watchInput(): () => void {
  const note = ({ target }: Event) => {
    for (const field of entered) if (!isThere(field)) entered.delete(field)
    if (target) entered.add(target)
  }
  window.addEventListener('input', note, true)
  return () => window.removeEventListener('input', note, true)
}

/** Whether something was entered into a field that is still there. */
export const hasInput = () => [...entered].some(isThere)

/** Whether something was entered that is nowhere else: a search and its filters are in the address. */
export const hasEntries = () =>
  [...entered].some((field) => isThere(field) && isFilled(field) && field.closest('search') === null)

const isThere = (field: EventTarget): field is Element => field instanceof Element && field.isConnected

/** A form that was submitted is emptied, and its fields stay. */
const isFilled = (field: Element) => !('value' in field) || field.value !== ''
