export const CONSENT_STYLE_PATH = "/assets/consent.css";

/** The look of the page that asks for consent: a file of its own, because pages allow no inline style. */
export const CONSENT_STYLE = `:root {
  color-scheme: light dark;
  --bg: #f5f6f8; --raised: #ffffff; --line: #dcdfe4; --text: #1b2027; --text-2: #535c68;
  --accent: #1a5fc2; --accent-text: #ffffff; --hover: #f0f2f5; --warn-tint: #fdf3e1; --warn: #9a4a00;
  font: 13px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #15171a; --raised: #202429; --line: #30353c; --text: #e2e5e9; --text-2: #a1aab4;
    --accent: #6cabff; --accent-text: #0c1622; --hover: #22262b; --warn-tint: #352710; --warn: #f2a65a;
  }
}
* { box-sizing: border-box; }
body { min-height: 100vh; margin: 0; padding: 24px 16px; display: grid; place-content: safe center; background: var(--bg); color: var(--text); }
main { width: min(480px, 100vw - 32px); padding: 24px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.mark { display: flex; align-items: center; gap: 8px; margin: 0 0 16px; color: var(--text-2); font-weight: 500; }
.ground { fill: #1f5fbf; }
.lines { stroke: #ffffff; stroke-width: 1.8; stroke-linecap: round; fill: none; }
h1 { margin: 0 0 8px; font-size: 18px; line-height: 1.35; font-weight: 600; overflow-wrap: anywhere; }
h2 { margin: 20px 0 6px; font-size: 13px; font-weight: 600; }
p { margin: 0 0 8px; overflow-wrap: anywhere; }
.dim { color: var(--text-2); }
.warn { padding: 8px 10px; border-radius: 4px; background: var(--warn-tint); color: var(--warn); }
ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 6px; }
li { padding: 8px 12px; }
li + li { border-top: 1px solid var(--line); }
li span { display: block; color: var(--text-2); font-size: 12px; }
code { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
fieldset { margin: 20px 0 0; padding: 0; border: 0; }
legend { padding: 0; margin: 0 0 6px; font-weight: 600; }
label { display: flex; align-items: baseline; gap: 8px; min-height: 32px; padding: 6px 12px; border: 1px solid var(--line); cursor: pointer; }
label + label { border-top: 0; }
label:first-of-type { border-radius: 6px 6px 0 0; }
label:last-of-type { border-radius: 0 0 6px 6px; }
label:hover { background: var(--hover); }
label span { min-width: 0; overflow-wrap: anywhere; }
label small { display: block; color: var(--text-2); font-size: 12px; }
.actions { display: flex; gap: 8px; margin: 24px 0 0; }
button { flex: 1; min-height: 36px; border: 1px solid var(--line); border-radius: 4px; background: transparent; color: inherit; font: inherit; font-weight: 500; cursor: pointer; }
button:hover { background: var(--hover); }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-text); }
button.primary:hover { filter: brightness(1.08); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.end { margin: 16px 0 0; font-size: 12px; }
@media (max-width: 480px) { main { padding: 20px 16px; } button { min-height: 44px; } label { min-height: 44px; align-items: center; } }
`;
