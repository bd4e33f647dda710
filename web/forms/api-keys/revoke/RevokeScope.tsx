import { useId } from 'react'
import styles from './RevokeScope.module.css'

interface RevokeScopeProps {
  /** How many keys it generated, directly or through others. */
  made: number
  includeDescendants: boolean
  onChange: (includeDescendants: boolean) => void
}

/** The choice that matters most, before anything else there is to say: this key alone, or also those that it generated. */
export function RevokeScope({ made, includeDescendants, onChange }: RevokeScopeProps) {
  const name = useId()
  const those = made === 1 ? 'the key' : `the ${made} keys`
  return (
    <fieldset className={styles['scope']}>
      <legend>This key has generated {made === 1 ? '1 other key' : `${made} other keys`}</legend>
      <label className={styles['also']}>
        <input type="radio" name={name} checked={!includeDescendants} onChange={() => onChange(false)} />
        <span>
          Revoke only this key; {those} that it generated {made === 1 ? 'stays' : 'stay'} active
        </span>
      </label>
      <label className={styles['also']}>
        <input type="radio" name={name} checked={includeDescendants} onChange={() => onChange(true)} />
        <span>Also revoke {those} that it generated</span>
      </label>
    </fieldset>
  )
}
