import { expect, it } from 'vitest'
import { HOUR } from './clock.ts'
import { createHourly } from './hourly.ts'

it('is new once an hour, for so many things of an id, and for so many ids', () => {
  const { isNew } = createHourly({ most: 2, mostIds: 2 })
  const asked = ['one a', 'one a', 'one b', 'one c', 'other a', 'third a']
  const answers = (now: number) => asked.map((words) => isNew(words.split(' ')[0] ?? '', words, now))
  expect(answers(HOUR)).toEqual([true, false, true, false, true, false])
  expect(answers(2 * HOUR - 1)).toEqual(asked.map(() => false))
  expect(answers(2 * HOUR)).toEqual([true, false, true, false, true, false])
})
