import { Button } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { Section } from '../../components/Section.tsx'
import { AddFirstDevice } from './AddFirstDevice.tsx'
import styles from './Checklist.module.css'
import { ChecklistStep } from './ChecklistStep.tsx'
import { STEPS, type Step } from './checklist-steps.ts'
import { FirstCallStep } from './FirstCallStep.tsx'
import { FirstCheckIn } from './FirstCheckIn.tsx'
import { SwitchOnKeys } from './SwitchOnKeys.tsx'
import type { useChecklist } from './use-checklist.ts'
import { useFirstKey } from './use-first-key.tsx'

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
  const { form, dialog } = useFirstKey(slug, place)
  const ways: Record<Step, ReactNode> = {
    'switch-on': <SwitchOnKeys slug={slug} />,
    generate: form,
    'first-call': <FirstCallStep />,
    'add-device': <AddFirstDevice slug={slug} />,
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
