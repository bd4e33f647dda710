import type { ListedKey } from '../../api/api-keys.ts'
import type { Asked } from '../../forms/api-keys/dialogs.ts'
import type { MenuEntry } from '../../ui/menu.ts'

/** What the menu of a key offers besides its label. */
export function actionsFor(apiKey: ListedKey, onAsk: (asked: Asked) => void): MenuEntry[] {
  const { expired, replacedBy } = apiKey
  return [...(expired || replacedBy ? [] : [{ label: 'Rotate', act: () => onAsk({ to: 'rotate', apiKey }) }])]
}
