import { TextInput } from '@mantine/core'
import { hasSecret } from '../../api/secret-text.ts'
import { MAX_SEARCH } from '../../limits.ts'
import { useKeyOfSecret } from '../../ui/use-key-of-secret.tsx'

/** A tag to filter by, typed or picked from those in sight. A device must have all that are chosen. */
export function TagField({ suggestions, onTag }: { suggestions: readonly string[]; onTag: (tag: string) => void }) {
  const findKey = useKeyOfSecret()
  const add = (field: HTMLInputElement) => {
    const tag = field.value.trim()
    field.value = ''
    if (hasSecret(tag)) void findKey(tag)
    else if (tag) onTag(tag)
  }
  return (
    <>
      <TextInput
        aria-label="Tag"
        placeholder="Tag"
        maxLength={MAX_SEARCH} // not that of a tag: a secret that was cut would not lead to its key
        list="tags-in-sight"
        enterKeyHint="done"
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) add(event.currentTarget)
        }}
        onChange={(event) => {
          if (isPicked(event.nativeEvent) && suggestions.includes(event.currentTarget.value)) add(event.currentTarget)
        }}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text')
          if (!hasSecret(pasted)) return
          event.preventDefault()
          void findKey(pasted)
        }}
        onBlur={(event) => add(event.currentTarget)}
      />
      <datalist id="tags-in-sight">
        {suggestions.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </>
  )
}

/** Whether the text came out of the list of suggestions; browsers say it in one of two ways. */
const isPicked = (event: Event) => !(event instanceof InputEvent) || event.inputType === 'insertReplacementText'
