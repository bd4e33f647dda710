/** Tells the styles how wide the scroll bar is, so that a page stays where it is while a dialog takes the bar away. */
export function watchGutter(): void {
  const { documentElement: root } = document
  const measure = () => {
    if (document.querySelector('[aria-modal="true"]')) return
    root.style.setProperty('--gutter', `${window.innerWidth - root.getBoundingClientRect().width}px`)
  }
  measure()
  window.addEventListener('resize', measure)
}
