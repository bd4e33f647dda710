/** The stylesheet of all pages without scripts: in the colours and typefaces of web/ui/tokens.css, light and dark. */
export const STYLE = `:root {
  color-scheme: light dark;
  --font: "Geist", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --font-mono: "Geist Mono", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --page: light-dark(#ffffff, #0f1116);
  --subtle: light-dark(#f5f6f8, #1a1d25);
  --line: light-dark(#e4e7ec, #272b35);
  --text: light-dark(#14171f, #e7e9ee);
  --text-quiet: light-dark(#586072, #a0a7b6);
  --on-solid: light-dark(#ffffff, #ffffff);
  --accent: light-dark(#3b49d1, #4c5ae0);
  --accent-hover: light-dark(#2d39ad, #3f4bc4);
  --accent-text: light-dark(#3341c2, #a7b0ff);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.6 var(--font);
  overflow-wrap: anywhere;
}
a { color: var(--accent-text); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; padding: 0.5rem 1rem; background: var(--page); }
.skip:focus { left: 0.5rem; top: 0.5rem; z-index: 1; }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; padding: 0.75rem max(1.25rem, calc((100% - 76rem) / 2 + 1.25rem)); border-bottom: 1px solid var(--line); }
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
h1 { margin-top: 0; font-size: 1.75rem; font-weight: 600; }
h2 { padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
p, ul, ol, pre, .table { margin: 0 0 1rem; }
li { margin: 0.25rem 0; }
.anchor { color: var(--text-quiet); text-decoration: none; font-weight: 400; opacity: 0; }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { opacity: 1; }
code { font: 0.9em var(--font-mono); background: var(--subtle); padding: 0.1em 0.3em; border-radius: 0.375rem; }
pre { overflow-x: auto; padding: 0.9rem 1rem; background: var(--subtle); border: 1px solid var(--line); border-radius: 0.375rem; line-height: 1.45; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; overflow-wrap: break-word; }
th, td { padding: 0.45rem 0.7rem; border: 1px solid var(--line); text-align: start; vertical-align: top; min-width: 5rem; }
th { background: var(--subtle); }
.missing { padding: 2rem 1rem; text-align: center; }
.missing h2 { margin: 0 0 0.5rem; border: none; font-size: 1rem; font-weight: 600; }
.missing p { margin-bottom: 0.5rem; color: var(--text-quiet); }
.missing .button { display: inline-block; padding: 0.25rem 0.75rem; border-radius: 0.375rem; background: var(--accent); color: var(--on-solid); font-size: 0.8125rem; font-weight: 600; text-decoration: none; }
.missing .button:hover { background: var(--accent-hover); }
.plain main { max-width: none; }
.plain h1 { font-size: 1.375rem; }
.source { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
@media (min-width: 62rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2.5rem; }
  aside { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: 0.95rem; }
  aside details { display: none; }
  aside details:not([open]) + nav { display: block; }
}
`
