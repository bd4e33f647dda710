import { useId } from 'react'
import type { KeyAccess } from '../../../api/key-access.ts'
import { ACCESSES } from '../../../components/key-access.ts'
import styles from './AccessField.module.css'

interface AccessFieldProps {
  value: KeyAccess
  onChange: (access: KeyAccess) => void
}

/** How much a key may do, with what each choice means. */
export function AccessField({ value, onChange }: AccessFieldProps) {
  const id = useId()
  return (
    <fieldset className={styles['choices']}>
      <legend>Access</legend>
      {Object.entries(ACCESSES).map(([access, { name, means }]) => (
        <div key={access} className={styles['choice']}>
          <label>
            <input
              type="radio"
              name="access"
              value={access}
              checked={access === value}
              aria-describedby={`${id}${access}`}
              onChange={() => onChange(access as KeyAccess)} // one of those above
            />
            {name}
          </label>
          <span id={`${id}${access}`}>{means}</span>
        </div>
      ))}
    </fieldset>
  )
}
