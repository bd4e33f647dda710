import { useId } from 'react'
import styles from './RevokeKey.module.css'

interface RevokeScopeProps {
  /** How many keys it generated, directly or through others. */
  made: number
  andMade: boolean
  onChange: (andMade: boolean) => void
}

/** The choice that matters most, before anything else there is to say: this key alone, or also those that it generated. */
export function RevokeScope({ made, andMade, onChange }: RevokeScopeProps) {
  const name = useId()
  const those = made === 1 ? 'the key' : `the ${made} keys`
  return (
    <fieldset className={styles['scope']}>
      <legend>It has generated {made === 1 ? '1 other key' : `${made} other keys`}</legend>
      <label className={styles['also']}>
        <input type="radio" name={name} checked={!andMade} onChange={() => onChange(false)} />
        <span>
          Revoke only this key; {those} that it generated {made === 1 ? 'stays' : 'stay'} active
        </span>
      </label>
      <label className={styles['also']}>
        <input type="radio" name={name} checked={andMade} onChange={() => onChange(true)} />
        <span>Also revoke {those} that it generated</span>
      </label>
    </fieldset>
  )
}
