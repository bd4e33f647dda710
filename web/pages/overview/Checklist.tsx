import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { silentDeviceQuery } from '../../api/overview.ts'
import { Section } from '../../components/Section.tsx'
import { WhenVerified } from '../../components/WhenVerified.tsx'
import { GenerateKey } from '../../forms/api-keys/GenerateKey.tsx'
import { useLostSecret } from '../../forms/api-keys/secret/lost-key.ts'
import { LostKey } from '../../forms/api-keys/secret/lost-key-notice.ts'
import { SecretDialog, useGenerated } from '../../forms/api-keys/secret/secret-dialog.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconCheck, IconPlus } from '../../ui/icons/icons.ts'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { CurlField } from '../devices/CurlField.tsx'
import styles from './Checklist.module.css'
import { SwitchOnKeys } from './KeysSummary.tsx'
import { STEPS, type Step, type useChecklist } from './use-checklist.ts'

const TITLES: Record<Step, string> = {
  'switch-on': 'Switch on API keys',
  generate: 'Generate an API key',
  'first-call': 'Make the first call',
  'add-device': 'Add a device',
  'check-in': 'Let the device check in',
}

interface ChecklistProps {
  slug: string
  checklist: ReturnType<typeof useChecklist>
}

/** What to do first in a new organization. It goes once all of it is done, or when it is dismissed. */
export function Checklist({ slug, checklist: { done, isOver, dismiss } }: ChecklistProps) {
  const place = useRef<HTMLDivElement>(null)
  const { form, dialog } = useFirstKey(slug, place, !done.has('switch-on'))
  const ways: Record<Step, ReactNode> = {
    'switch-on': (
      <Stack gap="xs">
        {form}
        <Group>
          <SwitchOnKeys slug={slug} isSecond />
        </Group>
      </Stack>
    ),
    generate: form,
    'first-call': <FirstCallStep />,
    'add-device': <AddFirstDevice slug={slug} isSecond={!done.has('generate')} />,
    'check-in': <FirstCheckIn slug={slug} />,
  }
  return (
    <div ref={place} tabIndex={-1} className={`quiet-focus ${styles['place']}`}>
      {!isOver && (
        <Section
          title="Get started"
          message={`${done.size} of ${STEPS.length} done`}
          action={
            <Button variant="default" size="xs" onClick={dismiss}>
              Dismiss checklist
            </Button>
          }
        >
          <ol className="plain-list">
            {STEPS.map((step) => (
              <ChecklistStep key={step} title={TITLES[step]} isDone={done.has(step)}>
                {isOpen(step, done) && ways[step]}
              </ChecklistStep>
            ))}
          </ol>
        </Section>
      )}
      {dialog}
    </div>
  )
}

const BEFORE: Record<Step, Step | undefined> = {
  'switch-on': undefined,
  generate: 'switch-on',
  'first-call': 'generate',
  'add-device': undefined,
  'check-in': 'add-device',
}

/** Whether it is still to do, and what it needs is there. */
function isOpen(step: Step, done: ReadonlySet<Step>): boolean {
  const before = BEFORE[step]
  return !done.has(step) && (!before || done.has(before))
}

/** One step: its mark, its name, and how to do it while it is to do. */
function ChecklistStep({ title, isDone, children }: { title: string; isDone: boolean; children: ReactNode }) {
  return (
    <li className={styles['step']} data-done={isDone || undefined}>
      <span className={styles['mark']} aria-hidden="true">
        {isDone && <Icon of={IconCheck} />}
      </span>
      <div className={styles['body']}>
        <Text fw={isDone ? 400 : 600} role="status">
          {title}
          <VisuallyHidden>{isDone ? ': done' : ': to do'}</VisuallyHidden>
        </Text>
        {children && <div className={styles['way']}>{children}</div>}
      </div>
    </li>
  )
}

/** A call to try, while the page waits for it. */
const FirstCallStep = () => (
  <Stack gap="xs">
    <Text size="sm">
      Set API_SECRET to the secret of your key, and make this call. It shows here by itself as soon as it has arrived.
    </Text>
    <CurlField label="First call" mutation="{ devices { data { id name } } }" />
  </Stack>
)

/** How a device says that it is alive, while the page waits for it. */
function FirstCheckIn({ slug }: { slug: string }) {
  const { data: device } = useQuery(silentDeviceQuery(slug))
  if (!device) return null
  return (
    <Stack gap="xs">
      <Text size="sm">
        The device, or a script on its behalf, makes this call at least every five minutes: <b>{device.name}</b> is
        online as soon as the first one has arrived.
      </Text>
      <CurlField label="Check-in call" mutation={`mutation { checkInDevice(id: "${device.id}") { lastSeenAt } }`} />
    </Stack>
  )
}

const AddDevice = lazyDialog(() => import('../../forms/devices/AddDevice.tsx'))

/** Adds a device and stays on this page, where the next step is; second: beside the form of a step before it. */
function AddFirstDevice({ slug, isSecond }: { slug: string; isSecond: boolean }) {
  const queryClient = useQueryClient()
  const [adding, setAdding] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['overview', slug] })
  return (
    <>
      <Button
        leftSection={<Icon of={IconPlus} />}
        onClick={() => setAdding(true)}
        variant={isSecond ? 'default' : 'filled'}
      >
        Add device
      </Button>
      <Suspense>{adding && <AddDevice slug={slug} onClose={() => setAdding(false)} onAdded={refresh} />}</Suspense>
    </>
  )
}

/**
 * Generates a key where one stands: the form, and the dialog with the secret. They are apart, because the form goes as
 * soon as there is a key, and the secret stays until it is stored.
 */
function useFirstKey(slug: string, returnTo: RefObject<HTMLElement | null>, switchesOn: boolean) {
  const queryClient = useQueryClient()
  const { shown, show, hide } = useGenerated()
  const lostSecret = useLostSecret(slug)
  const stored = () => {
    hide()
    void queryClient.invalidateQueries({ queryKey: ['overview', slug] })
  }
  const form = (
    <WhenVerified>
      <GenerateKey slug={slug} switchesOn={switchesOn} onGenerated={show} onLost={lostSecret.setLost} />
    </WhenVerified>
  )
  const dialog = (
    <Suspense>
      {lostSecret.lost && <LostKey slug={slug} secret={lostSecret} onGenerated={show} />}
      {shown && <SecretDialog slug={slug} {...shown} onStored={stored} returnTo={returnTo} />}
    </Suspense>
  )
  return { form, dialog }
}
