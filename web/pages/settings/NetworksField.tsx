import { InputBase } from '@mantine/core'
import { useField } from '../../ui/Form.tsx'

const LEAST_ROWS = 3

/** One network a line. */
export function NetworksField({ networks }: { networks: readonly string[] }) {
  return (
    <InputBase
      component="textarea"
      multiline
      {...useField('allowedNetworks')}
      label="Allowed networks"
      description="One a line, such as 10.0.0.0/8 or 2001:db8::/32. Empty: from anywhere."
      defaultValue={networks.join('\n')}
      rows={Math.max(LEAST_ROWS, networks.length + 1)}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: 'mono' }}
    />
  )
}
