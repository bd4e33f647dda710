const entered = new Set<EventTarget>()

/** Remembers the fields into which somebody enters something. */
export function watchInput(): () => void {
  const note = ({ target }: Event) => {
    for (const field of entered) if (!isThere(field)) entered.delete(field)
    if (target) entered.add(target)
  }
  window.addEventListener('input', note, true)
  return () => window.removeEventListener('input', note, true)
}

/** What a reload does not bring back: dialogs, which may show a secret for the only time, and notices of lost keys. */
const LOST_BY_RELOAD = '[role="dialog"]:not([data-in-address]), [data-unsaved]'

/** Whether a reload would lose something that was entered, or is shown. */
export const isUnsaved = () => [...entered].some(isThere) || document.querySelector(LOST_BY_RELOAD) !== null

const isThere = (field: EventTarget) => field instanceof Node && field.isConnected
