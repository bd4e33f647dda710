import type { World } from './world.ts'

/** The portal's metrics without labels, by name. */
export async function metricsOf({ url }: Pick<World, 'url'>): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('portal_'))
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]))
}
