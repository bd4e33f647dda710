import { InputBase } from '@mantine/core'
import { useField } from '../../../ui/Form.tsx'

const MIN_ROWS = 3

/** One network per line. */
export function NetworksField({ networks }: { networks: readonly string[] }) {
  return (
    <InputBase
      component="textarea"
      multiline
      {...useField('allowedNetworks')}
      label="Allowed networks"
      description="One per line, for example 10.0.0.0/8 or 2001:db8::/32. Leave empty to allow any network."
      defaultValue={networks.join('\n')}
      rows={Math.max(MIN_ROWS, networks.length + 1)}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: 'mono' }}
    />
  )
}
