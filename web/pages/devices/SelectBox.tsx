import styles from './SelectBox.module.css'

interface SelectBoxProps {
  id?: string
  label: string
  /** How many of those that it stands for are selected: none, all, or some. */
  count: number
  of: number
  onToggle: (isRange: boolean) => void
}

/** The browser's own checkbox: a table of fifty needs no more. With Shift, from the one before up to here. */
export const SelectBox = ({ id, label, count, of, onToggle }: SelectBoxProps) => (
  <input
    id={id}
    type="checkbox"
    className={styles['box']}
    aria-label={label}
    checked={count === of}
    ref={(box) => {
      if (box) box.indeterminate = count > 0 && count < of
    }}
    onChange={(event) => onToggle(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
  />
)
