import { navigate, route } from "../router.ts";
import { activeBindings } from "./keyboard.ts";
import { fuzzyMatch } from "./palette-match.ts";
import { THEMES, type Theme, theme } from "./theme.ts";
import { copyText } from "./toast.tsx";

export interface Command {
  label: string;
  group: string;
  keys: readonly string[];
  run: () => void;
}

export interface Candidate {
  command: Command;
  /** Characters of the label that fit what was typed. */
  positions: readonly number[];
}

const NAMES: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };
/** Keys that mean what is focused or open at the moment, which a list over the page is not. */
const OF_THE_MOMENT = ["Escape", "Enter", "Mod+k"];

/** Everything that can be done on the page that is shown: what has a key, and the rest. */
export function pageCommands(): Command[] {
  const bound = activeBindings()
    .filter(({ keys }) => !keys.some((key) => OF_THE_MOMENT.includes(key)))
    .map(({ label, group, keys, run }) => ({ label, group, keys, run: () => void run() }));
  const plain = (label: string, group: string, run: () => void): Command => ({ label, group, keys: [], run });
  const others = [
    plain("Get started: watch a first page", "Pages", () => navigate("/start")),
    plain("Copy the link to what is shown", "Page", () => void copyText(location.href, "Link")),
    ...THEMES.filter((name) => name !== theme.peek()).map((name) =>
      plain(`Theme: ${NAMES[name]}`, "Page", () => {
        theme.value = name;
      }),
    ),
  ];
  if (route.peek().page === "trace") others.unshift(plain("All traces", "Page", () => navigate("/traces")));
  return [...bound, ...others];
}

/** The commands that fit what was typed, best first; all of them for an empty text. */
export function matching(commands: readonly Command[], typed: string): Candidate[] {
  if (typed.trim() === "") return commands.map((command) => ({ command, positions: [] }));
  return commands
    .flatMap((command) => {
      const found = fuzzyMatch(typed, command.label);
      return found ? [{ command, positions: found.positions, score: found.score }] : [];
    })
    .sort((a, b) => b.score - a.score);
}
