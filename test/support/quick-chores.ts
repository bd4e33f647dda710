// Loaded into a portal before its own code: the chores of every half a minute are done many times a second.
const FROM_MS = 25_000
const TO_MS = 35_000
const INSTEAD_MS = 50

const { setTimeout: wait } = globalThis

/** The pause between chores is drawn at random; what waits for a whole number of milliseconds is something else. */
const isBetweenChores = (ms: number) => ms >= FROM_MS && ms <= TO_MS && !Number.isInteger(ms)

const soon = (work: () => void, ms = 0) => wait(work, isBetweenChores(ms) ? INSTEAD_MS : ms)

globalThis.setTimeout = Object.assign(soon, wait) // with what util.promisify needs
