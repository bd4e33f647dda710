// Brought in by --import: the process says that it has the versions in PLANTED_VERSIONS.
const planted = JSON.parse(process.env['PLANTED_VERSIONS'] ?? '{}')
Object.defineProperty(process, 'versions', { value: { ...process.versions, ...planted } })
