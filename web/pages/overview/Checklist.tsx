import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Overview } from '../../api/overview.ts'
import type { Viewer } from '../../api/viewer.ts'
import { Section } from '../../components/Section.tsx'
import { AddFirstDevice } from './AddFirstDevice.tsx'
import { ChecklistStep } from './ChecklistStep.tsx'
import { STEPS, type Step, stepsDone } from './checklist-steps.ts'
import { FirstCallStep } from './FirstCallStep.tsx'
import { FirstCheckIn } from './FirstCheckIn.tsx'
import { SwitchOnKeys } from './SwitchOnKeys.tsx'
import { useChecklist } from './use-checklist.ts'
import { useFirstKey } from './use-first-key.tsx'

const TITLES: Record<Step, string> = {
  'switch-on': 'Switch on API keys',
  generate: 'Generate an API key',
  'first-call': 'Make the first call',
  'add-device': 'Add a device',
  'check-in': 'Let the device check in',
}

interface ChecklistProps {
  viewer: Viewer
  overview: Overview
  /** Whether the next step shows by itself, so that the page asks more often. */
  onAwait: (isAwaited: boolean) => void
}

/** What to do first in a new organization. It goes once all of it is done, or when it is dismissed. */
export function Checklist({ viewer, overview, onAwait }: ChecklistProps) {
  const { user, organization } = viewer
  const { slug } = organization
  const { done, isOver, dismiss } = useChecklist(user?.id ?? '', organization.id, stepsDone(viewer, overview))
  const place = useRef<HTMLDivElement>(null)
  const { form, dialog } = useFirstKey(slug, place)
  const isWaiting = !isOver && (isOpen('first-call', done) || isOpen('check-in', done))
  useEffect(() => {
    onAwait(isWaiting)
    return () => onAwait(false)
  }, [isWaiting, onAwait])

  const ways: Record<Step, ReactNode> = {
    'switch-on': <SwitchOnKeys slug={slug} />,
    generate: form,
    'first-call': <FirstCallStep />,
    'add-device': <AddFirstDevice slug={slug} />,
    'check-in': <FirstCheckIn slug={slug} />,
  }
  return (
    <div ref={place} tabIndex={-1} className="quiet-focus">
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
