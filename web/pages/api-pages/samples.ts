import type { SampleId } from './api-address.ts'
import { goSample, javascriptSample, pythonSample } from './program-samples.ts'

/** A program that calls the API, to be copied and run as it is. */
export interface Sample {
  id: SampleId
  name: string
  /** What it takes to run it. */
  how: string
  code: (endpoint: string) => string
}

/** Asks for the secret without showing it: what is typed is no command, so the shell's history does not get it. */
export const READ_SECRET = 'read -rs API_SECRET; export API_SECRET'

const FIRST_CALL = '{ devices(first: 5) { totalCount data { id name status } } }'

export const SAMPLES: readonly Sample[] = [
  {
    id: 'curl',
    name: 'curl',
    how: 'Run it in the same terminal.',
    code: (endpoint) => curl(endpoint, FIRST_CALL),
  },
  {
    id: 'javascript',
    name: 'JavaScript',
    how: 'Save it as devices.mjs and run node devices.mjs in the same terminal. Node.js 18 or later, no packages.',
    code: javascriptSample,
  },
  {
    id: 'python',
    name: 'Python',
    how: 'Save it as devices.py and run python3 devices.py in the same terminal. No packages.',
    code: pythonSample,
  },
  {
    id: 'go',
    name: 'Go',
    how: 'Save it as devices.go and run go run devices.go in the same terminal. No modules.',
    code: goSample,
  },
  {
    id: 'ci',
    name: 'GitHub Actions',
    how: 'Save it as .github/workflows/devices.yml. Run gh secret set API_SECRET, which asks for the key, or add it under Settings, Secrets and variables, Actions.',
    code: workflow,
  },
]

const curl = (endpoint: string, query: string) =>
  [
    `curl ${endpoint} \\`,
    `  -H 'content-type: application/json' -H "api-secret: $API_SECRET" \\`,
    `  -d '${JSON.stringify({ query })}'`,
  ].join('\n')

/** An answer with errors has status 200: `jq` makes it fail the job. */
function workflow(endpoint: string): string {
  return `name: Devices
on: workflow_dispatch
jobs:
  devices:
    runs-on: ubuntu-latest
    steps:
      - name: List devices that are offline
        shell: bash
        env:
          API_SECRET: \${{ secrets.API_SECRET }}
        run: |
          curl -sS --fail-with-body ${endpoint} \\
            -H 'content-type: application/json' -H "api-secret: $API_SECRET" \\
            -d '{"query":"{ devices(filter: { status: OFFLINE }) { data { name lastSeenAt } } }"}' |
            jq 'if .errors then error(.errors[0].message) else .data.devices.data end'
`
}
