// Preloaded into a replica: its wall clock is ahead by CLOCK_AHEAD_MS, or behind, as on a machine that was set wrongly.
const ahead = Number(process.env['CLOCK_AHEAD_MS'])
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + ahead] : args, self === Date ? target : self),
  apply: (target) => new target(target.now() + ahead).toString(),
  get: (target, name) => (name === 'now' ? () => target.now() + ahead : Reflect.get(target, name)),
})
