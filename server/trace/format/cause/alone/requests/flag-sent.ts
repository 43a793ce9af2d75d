import { answeredWith } from "../../exchanges/sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, quoted, requestOf } from "../../words.ts";
import { lastWrite } from "./last-write.ts";

const SHORTEST = 4;
/** What a thing is, as products name it in a word: `REPLY`, `public`. */
const KIND = /^\p{L}[\p{L}_-]{1,30}$/u;
const OF_KIND = /(?:^|\.)(?:kind|type|status|state|visibility|role|category)$/i;

/** A switch that goes by a word of what the test looks for in vain: the last write was sent with it off, or with it on and answered with a thing that does not say so. */
export function detectFlagSent(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const last = lastWrite(evidence);
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "").toLowerCase());
  if (!last || !want || failed.received === null) return [];
  const words = new Set(want.match(/\p{L}+/gu));
  const flag = last.leaves.find(({ path, value }) => {
    const name = nameOf(path);
    return typeof value === "boolean" && name.length >= SHORTEST && words.has(name) && !got!.includes(name);
  });
  if (!flag) return [];
  const { write } = last;
  const told = flag.value === false ? "" : answeredOtherwise(leavesOf(answeredWith(write, run)), flag);
  if (told === null) return [];
  return [
    {
      kind: flag.value === false ? "page_changed" : "answer_changed",
      title: `${requestOf(write, run.facts)} was sent with ${quoted(String(flag.value), 10)} for ${quoted(flag.path, 60)}${told === "" ? `, where the test wants ${quoted(bareOf(failed.expected!), 60)}` : told}`,
      detail: null,
      step_id: write.step_id,
      events: [write.requestSeq ?? write.seq],
      ts: write.ts,
      is_new: null,
      weight: 0.86,
      about: `body ${write.seq}`,
    },
  ];
}

const nameOf = (path: string): string =>
  path
    .split(".")
    .at(-1)!
    .replace(/^is(?=[A-Z_])_?/, "")
    .toLowerCase();

/** That a thing is answered as one of another kind, as a clause; null where it says the switch itself, or no kind. */
function answeredOtherwise(answer: readonly Leaf[], flag: Leaf): string | null {
  const name = nameOf(flag.path);
  if (answer.some(({ path, value }) => nameOf(path) === name || String(value).toLowerCase().includes(name)))
    return null;
  const kind = answer.find(({ path, value }) => OF_KIND.test(path) && KIND.test(String(value)));
  return kind
    ? ` and answered with ${quoted(String(kind.value), 40)} for ${quoted(kind.path, 40)}: it was not stored as that`
    : null;
}
