import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { type Wanted, wantedBy } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/** What the signs on buttons mean in words. */
const SIGNS: readonly [sign: RegExp, words: RegExp][] = [
  [/^[×✕✖✗✘❌🗙xX]$/u, /\b(?:close|remove|delete|dismiss|clear|hide)\b/i],
  [/^(?:🗑️?|␡|⌫)$/u, /\b(?:remove|delete|discard|clear|empty)\b/i],
  [/^[+＋➕]$/u, /\b(?:add|new|create|increase|more|plus|expand|zoom in)\b/i],
  [/^[-−–➖]$/u, /\b(?:remove|decrease|fewer|less|minus|collapse|zoom out|minimi[sz]e)\b/i],
  [/^[<‹«←◀⟨]$/u, /\b(?:back|previous|prev|earlier|left|newer|older)\b/i],
  [/^[>›»→▶⟩]$/u, /\b(?:next|forward|later|right|newer|older|play)\b/i],
  [/^(?:[⋮⋯…☰≡]|\.\.\.)$/u, /\b(?:menu|more|options|actions|navigation)\b/i],
  [/^(?:✎|✏️?|🖉)$/u, /\b(?:edit|change|rename|modify)\b/i],
  [/^(?:🔍|🔎|⌕)$/u, /\b(?:search|find|look up)\b/i],
  [/^[✓✔☑]️?$/u, /\b(?:save|confirm|done|apply|accept|approve|ok)\b/i],
  [/^(?:⚙️?)$/u, /\b(?:settings|preferences|options|configure)\b/i],
  [/^[↻⟳🔄]️?$/u, /\b(?:refresh|reload|retry|again|sync)\b/i],
];

const PRESSED = new Set(["button", "link"]);

/**
 * Buttons that are called by a sign alone which means what the wanted one is called, as a clause: what gave them that name is gone.
 * Null where there are none, or fewer than the locator counts to.
 */
export function calledBySign(wanted: Wanted, evidence: Evidence): string | null {
  const { role, name } = wanted;
  if (role === null || name === null || !PRESSED.has(role)) return null;
  const elements = evidence.run.page?.elements ?? [];
  const signed = elements.filter(
    (one) =>
      !one.isHidden &&
      one.role === role &&
      isSignFor(one, name) &&
      !LABELS.some((of) => one.attributes[of]) &&
      // What lies over a page or tells of something has a sign to close it by.
      (CLOSES.test(name) || !aroundOf(elements, one).some((around) => OVER.test(around.role))),
  );
  const [first] = signed;
  const target = targetOf(evidence);
  const nth = Number(/\.nth\((\d+)\)$/.exec(target)?.[1] ?? 0);
  if (!first || signed.length <= nth || wantedBy(target).isWithin) return null;
  const many = signed.length === 1 ? `a ${role}` : `${signed.length} ${role}s`;
  return `the page has ${many} called ${quoted(first.own, 10)}, without a word in the name: the label that says ${quoted(name, 60)} (an aria-label, a title) is gone from ${signed.length === 1 ? "it" : "them"}`;
}

const CLOSES = /\b(?:close|dismiss|hide)\b/i;
const OVER = /^(?:alert|status|log|dialog|alertdialog|tooltip)$/;
const LABELS = ["aria-label", "aria-labelledby", "title"];

const isSignFor = ({ own, name }: SeenElement, wanted: string): boolean =>
  own === name && SIGNS.some(([sign, words]) => sign.test(own) && words.test(wanted));
