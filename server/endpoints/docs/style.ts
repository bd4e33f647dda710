/** The stylesheet of all pages without scripts: readable on any screen, light and dark. */
export const STYLE = `:root {
  color-scheme: light dark;
  --text: light-dark(#1f2328, #d7dce1);
  --quiet: light-dark(#57606a, #9aa4ae);
  --ground: light-dark(#fff, #1a1b1e);
  --soft: light-dark(#f3f5f7, #25272b);
  --line: light-dark(#d5dae0, #3b3f45);
  --link: light-dark(#1558b0, #7ab7ff);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; padding: 0.5rem 1rem; background: var(--ground); }
.skip:focus { left: 0.5rem; top: 0.5rem; z-index: 1; }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding: 0.75rem 1.25rem; border-bottom: 1px solid var(--line); }
.brand { font-weight: 600; color: inherit; text-decoration: none; }
header nav { margin-inline-start: auto; }
.columns, .plain { max-width: 76rem; margin: 0 auto; padding: 1.25rem; }
main { min-width: 0; max-width: 50rem; }
aside { margin-bottom: 1.25rem; }
aside summary { cursor: pointer; font-weight: 600; padding: 0.25rem 0; }
aside details:not([open]) + nav { display: none; }
aside ul { list-style: none; margin: 0.25rem 0; padding: 0; }
aside ul ul { padding-inline-start: 1rem; font-size: 0.9rem; }
aside a { display: block; padding: 0.2rem 0; text-decoration: none; }
aside a:hover { text-decoration: underline; }
aside [aria-current] { color: inherit; font-weight: 600; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2rem 0 0.75rem; }
h1 { margin-top: 0; font-size: 1.9rem; }
h2 { padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
p, ul, ol, pre, .table { margin: 0 0 1rem; }
li { margin: 0.25rem 0; }
.anchor { color: var(--quiet); text-decoration: none; font-weight: 400; opacity: 0; }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { opacity: 1; }
code { font: 0.9em ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; background: var(--soft); padding: 0.1em 0.3em; border-radius: 4px; }
pre { overflow-x: auto; padding: 0.9rem 1rem; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; line-height: 1.45; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; overflow-wrap: break-word; }
th, td { padding: 0.45rem 0.7rem; border: 1px solid var(--line); text-align: start; vertical-align: top; min-width: 5rem; }
th { background: var(--soft); }
.source { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
@media (min-width: 62rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2.5rem; }
  aside { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: 0.95rem; }
  aside details { display: none; }
  aside details:not([open]) + nav { display: block; }
}
`
