const moved = (transform: string) => ({
  in: { opacity: 1, transform: 'none' },
  out: { opacity: 0, transform },
  transitionProperty: 'opacity, transform',
})

/** Of Mantine's thirty, those that our components use. */
export const transitions = {
  fade: { in: { opacity: 1 }, out: { opacity: 0 }, transitionProperty: 'opacity' },
  'fade-down': moved('translateY(-30px)'),
  pop: { ...moved('scale(.9) translateY(10px)'), common: { transformOrigin: 'center center' } },
}
