export const SAMPLE_IDS = ['curl', 'javascript', 'python', 'go', 'ci'] as const

export type SampleId = (typeof SAMPLE_IDS)[number]

/** Which sample is shown; an unknown one is named too, or the router would keep it. */
export const sampleSearch = ({ sample }: Record<string, unknown>): { sample?: SampleId | undefined } => ({
  sample: SAMPLE_IDS.find((id) => id === sample),
})

/** The places in the reference that a link can lead to: `#type-Device`, `#query-devices`, `#mutation-createDevice`. */
export const anchorOf = (kind: 'type' | 'query' | 'mutation', name: string) => `${kind}-${name}`

export const isAnchor = (hash: string) => /^(type|query|mutation)-\w+$/.test(hash)
