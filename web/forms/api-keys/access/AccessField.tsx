import { useId } from 'react'
import type { KeyAccess } from '../../../api/key-restrictions.ts'
import { ACCESSES } from '../../../components/key-access.ts'
import styles from './AccessField.module.css'

interface AccessFieldProps {
  value: KeyAccess
  onChange: (access: KeyAccess) => void
  /** In one row, where what is chosen is explained elsewhere. */
  isShort?: boolean
}

/** How much a key may do, with what each choice means. */
export function AccessField({ value, onChange, isShort = false }: AccessFieldProps) {
  const id = useId()
  return (
    <fieldset className={styles['choices']} data-short={isShort || undefined}>
      <legend>Access</legend>
      {Object.entries(ACCESSES).map(([access, { name, description }]) => (
        <div key={access} className={styles['choice']}>
          <label>
            <input
              type="radio"
              className="choice"
              name="access"
              value={access}
              checked={access === value}
              aria-describedby={isShort ? undefined : `${id}${access}`}
              onChange={() => onChange(access as KeyAccess)} // one of those above
            />
            {name}
          </label>
          {!isShort && <span id={`${id}${access}`}>{description}</span>}
        </div>
      ))}
    </fieldset>
  )
}
