import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/**
 * The expressions that one with references to short groups stands for: of `(["'])x\\1` these are `"x"` and `'x'`. What
 * refers to a group that may be anything stays as it is.
 */
export function withoutReferences(source: string, flags: string): string[] {
  const isSet = flags.includes("v");
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: isSet,
  });
  const groups = new Map<AST.CapturingGroup, AST.Backreference[]>();
  visitRegExpAST(pattern, {
    onBackreferenceEnter(reference) {
      const { resolved } = reference;
      if (!Array.isArray(resolved)) groups.set(resolved, [...(groups.get(resolved) ?? []), reference]);
    },
  });
  const [first] = [...groups].flatMap(([group, references]) => {
    const words = wordsOf(group);
    return words ? [{ group, references, words }] : [];
  });
  if (!first) return [source];
  const { group, references, words } = first;
  // From the last to the first, so that places stay true.
  const places = [...references, group].sort((one, other) => other.start - one.start);
  return words.flatMap((word) =>
    withoutReferences(
      places.reduce((text, { start, end }) => `${text.slice(0, start)}(?:${word})${text.slice(end)}`, source),
      flags,
    ),
  );
}

/** What a group may be: its alternatives, where they are letters only; null where there may be more. */
function wordsOf({ alternatives }: AST.CapturingGroup): string[] | null {
  const [only] = alternatives;
  if (alternatives.length === 1 && only!.elements.length === 1) {
    const [element] = only!.elements;
    if (element!.type === "CharacterClass" && !element!.negate && element!.elements.every(isLetter))
      return element!.elements.map(({ raw }) => (/^[-\\\]^]/.test(raw) ? raw : RegExp.escape(raw)));
  }
  return alternatives.every(({ elements }) => elements.every(isLetter))
    ? alternatives.map(({ raw }) => raw)
    : null;
}

const isLetter = ({ type }: { type: string }): boolean => type === "Character";
