import { Stack, Text } from '@mantine/core'
import { CurlField } from '../devices/CurlField.tsx'

/** A call to try, while the page waits for it. */
export const FirstCallStep = () => (
  <Stack gap="xs">
    <Text size="sm">
      Set API_SECRET to the secret of your key, and make this call. It shows here by itself as soon as it has arrived.
    </Text>
    <CurlField label="First call" mutation="{ devices { data { id name } } }" />
  </Stack>
)
