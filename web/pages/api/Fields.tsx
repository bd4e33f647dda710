import { Described } from './Described.tsx'
import styles from './Reference.module.css'
import { TypeName } from './TypeName.tsx'

interface Part {
  name: string
  description: string
  deprecated?: string
  type?: string
  default?: string
  args?: Part[]
}

/** Arguments, fields or values, each with its type and what it means. */
export const Fields = ({ label, fields }: { label: string; fields: Part[] }) => (
  <ul aria-label={label} className={styles['fields']}>
    {fields.map(({ name, type, args, ...part }) => (
      <li key={name}>
        <div className="mono">
          <strong>{name}</strong>
          {args && <Arguments args={args} />}
          {type && (
            <>
              : <TypeName type={type} />
            </>
          )}
          {part.default !== undefined && ` = ${part.default}`}
        </div>
        <Described {...part} />
      </li>
    ))}
  </ul>
)

/** Of a field below the root, on one line. */
const Arguments = ({ args }: { args: Part[] }) => (
  <>
    (
    {args.map(({ name, type = '', ...arg }, index) => (
      <span key={name}>
        {index > 0 && ', '}
        {name}: <TypeName type={type} />
        {arg.default !== undefined && ` = ${arg.default}`}
      </span>
    ))}
    )
  </>
)
