/**
 * Whether an address fits a glob: `**` stands for anything, `*` for anything without a slash, `?` for itself, as in
 * Playwright's routes. One without a star is looked for in the address. Takes time in proportion to both lengths, whatever is written.
 */
export function fitsGlob(glob: string, url: string): boolean {
  if (!glob.includes("*")) return glob !== "" && url.includes(glob);
  const pattern = glob.split(/(\*+)/).flatMap((part) => (part.startsWith("*") ? [part] : [...part]));
  let states = new Uint8Array(pattern.length + 1);
  const enter = (set: Uint8Array, at: number): void => {
    for (let next = at; ; next += 1) {
      set[next] = 1;
      if (!pattern[next]?.startsWith("*")) return;
    }
  };
  enter(states, 0);
  for (const character of url) {
    const next = new Uint8Array(pattern.length + 1);
    for (let at = 0; at < pattern.length; at += 1) {
      if (!states[at]) continue;
      const token = pattern[at] ?? "";
      if (token.startsWith("*")) {
        if (token.length > 1 || character !== "/") enter(next, at);
      } else if (token === character) enter(next, at + 1);
    }
    states = next;
  }
  return states[pattern.length] === 1;
}
