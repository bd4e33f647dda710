import { Stack, Text } from '@mantine/core'
import type { Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { CopyField } from '../../ui/CopyField.tsx'
import styles from './ApiLayout.module.css'
import { KeyStep } from './KeyStep.tsx'
import { Samples } from './Samples.tsx'
import { READ_SECRET } from './samples.ts'

/** From no key to an answer in three steps. */
export const FirstCall = ({ viewer }: { viewer: Viewer }) => (
  <Section title="First call">
    <ol className={styles['steps']}>
      <li>
        <KeyStep viewer={viewer} />
      </li>
      <li>
        <Stack gap="xs">
          <Text>
            Put its secret into the environment of your terminal, so that it is in no file and not in the history of the
            shell: run this command, paste the secret, and press Enter. Nothing is shown as you paste.
          </Text>
          <CopyField label="Command" value={READ_SECRET} />
        </Stack>
      </li>
      <li>
        <Stack gap="xs">
          <Text>Call the API.</Text>
          <Samples />
        </Stack>
      </li>
    </ol>
  </Section>
)
