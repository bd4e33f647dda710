import { Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { find } from '../../api/jump.ts'
import { apiKeySecretIn, hasSecret } from '../../api/secret-text.ts'
import { useViewer } from '../../api/viewer.ts'
import { MAX_SEARCH } from '../../limits.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { type Action, type Entry, foundEntries, knownEntries } from './entries.ts'
import styles from './JumpDialog.module.css'

const PAUSE_MS = 150

interface JumpDialogProps {
  onAction: (action: Action) => void
  onClose: () => void
}

/** Leads to a page, a device, a key, a person or an action, by its name, its id or its secret. */
export default function JumpDialog({ onAction, onClose }: JumpDialogProps) {
  const viewer = useViewer()
  const navigate = useNavigate()
  useReturnFocus()
  const [text, setText] = useState('')
  const { entries, state } = useEntries(text)
  const [chosen, setChosen] = useState(0)
  const go = ({ target }: Entry) => {
    onClose()
    if ('to' in target) void navigate({ href: target.to })
    else onAction(target.opens)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && entries.length > 0) setChosen((chosen + step + entries.length) % entries.length)
    const entry = entries[chosen]
    if (event.key === 'Enter' && entry) go(entry)
    if (step || event.key === 'Enter') event.preventDefault()
  }
  return (
    <Dialog title="Jump to" size="lg" onClose={onClose}>
      <TextInput
        data-autofocus
        mt="var(--space-1)" // room for the ring around it
        role="combobox"
        aria-label={`Search ${viewer.organization.name}`}
        aria-expanded={entries.length > 0}
        aria-controls={LIST_ID}
        aria-autocomplete="list"
        aria-activedescendant={entries[chosen] && optionId(chosen)}
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, device, key, person, action, id or secret"
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(hasSecret(value) ? value : value.slice(0, MAX_SEARCH))
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Entries entries={entries} chosen={chosen} onChoose={setChosen} onGo={go} />
      <Text size="sm" c="dimmed" role="status" mt="xs">
        {state}
      </Text>
    </Dialog>
  )
}

const LIST_ID = 'jump-entries'
const optionId = (index: number) => `${LIST_ID}-${index}`

/** What there is for a text: known at once, found a moment later. A secret is in no query key: its number is. */
function useEntries(text: string): { entries: Entry[]; state: string } {
  const viewer = useViewer()
  const [searched] = useDebouncedValue(text.trim(), PAUSE_MS)
  const [secrets] = useState(() => new Map<string, number>())
  const [isSecret, isWhole] = [hasSecret(searched), apiKeySecretIn(searched) !== undefined]
  const { data, error, isFetching } = useQuery({
    queryKey: ['jump', viewer.organization.slug, isSecret ? numberIn(secrets, searched) : searched],
    queryFn: () => find(viewer, searched),
    enabled: searched !== '' && (!isSecret || isWhole),
    gcTime: 0,
    retry: false,
  })
  const entries = [...(isSecret ? [] : knownEntries(viewer, text)), ...(data ? foundEntries(viewer, data) : [])]
  if (error) return { entries, state: error.message }
  if (isFetching || searched !== text.trim()) return { entries, state: 'Searching…' }
  if (entries.length > 0 || text === '') return { entries, state: '' }
  return {
    entries,
    state: isSecret ? `No active key of ${viewer.organization.name} has this secret.` : 'Nothing found.',
  }
}

function numberIn(known: Map<string, number>, text: string): number {
  const number = known.get(text) ?? known.size
  known.set(text, number)
  return number
}

interface EntriesProps {
  entries: readonly Entry[]
  chosen: number
  onChoose: (index: number) => void
  onGo: (entry: Entry) => void
}

/** In groups, in the order in which they are listed. */
function Entries({ entries, chosen, onChoose, onGo }: EntriesProps) {
  const indexed = entries.map((entry, index) => ({ entry, index }))
  const groups = Map.groupBy(indexed, ({ entry }) => entry.group)
  return (
    <div id={LIST_ID} role="listbox" aria-label="Results" className={styles['list']}>
      {[...groups].map(([group, members]) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options
        <div key={group} role="group" aria-label={group}>
          <div className={styles['heading']} aria-hidden="true">
            {group}
          </div>
          {members.map(({ entry, index }) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
            <div
              key={`${entry.label} ${entry.hint}`}
              id={optionId(index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className={styles['entry']}
              ref={index === chosen ? scrollIntoSight : undefined}
              onMouseMove={() => index !== chosen && onChoose(index)}
              onClick={() => onGo(entry)}
            >
              <span className="ellipsis">{entry.label}</span>
              {entry.hint && <span className={styles['hint']}>{entry.hint}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

const scrollIntoSight = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })
