import { CharBase, CharSet, type Concatenation, type Element, JS, type Quantifier } from "refa";

/** How a regular expression is read letter by letter: a state is a place in it with the kind of the letter read last. */
export interface Automaton {
  /** The state before the first letter. */
  readonly start: number;
  readonly states: readonly State[];
  /** A letter of each kind. */
  readonly letters: readonly string[];
  /** Whether a lookbehind may read back to the text's beginning, from each letter anew. */
  readonly looksBack: boolean;
}

export interface State {
  /** The kind of the letter by which it is entered. */
  letter: number;
  /** What may be entered next, and in how many ways. */
  next: Map<number, number>;
  /** Kinds of letters that may follow a match that ends here; the text's end is one of them. */
  ends: Set<number>;
}

/** Between two letters: which may stand before and which after it. */
interface Gap {
  before: CharSet;
  after: CharSet;
}

interface Entry {
  place: number;
  gap: Gap;
}

/** A part of an expression: where it begins, where it ends, and each way to match nothing. */
interface Part {
  first: Entry[];
  last: Entry[];
  empty: Gap[];
}

/** A repetition of so many is exact, one of more is as one of so many. */
const EXACT = 12;
/** So many copies show a degree of three; more make automata large. */
const COPIES = 3;
/** Repetitions of more letters are as slow as those without a bound. */
const UNBOUNDED = 1_000;
const MOST_EMPTY = 8;

/**
 * The automaton of a regular expression, after Glushkov, in which ways that an engine tries one after the other stay apart.
 * What a lookahead reads is a way that leads nowhere; a lookbehind of more than one letter is taken for true.
 * @throws SyntaxError
 */
export function automatonOf(source: string, flags: string): Automaton {
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags }).parse({
    backreferences: "unknown",
    // It drops ways that lead nowhere, which an engine tries.
    simplify: false,
  });
  /** Before the first and after the last letter stands this one. */
  const edge = maxCharacter + 1;
  const none = CharSet.empty(edge);
  const all = CharSet.all(edge);
  const letter = CharSet.fromRange(edge, { min: 0, max: maxCharacter });
  const anywhere: Gap = { before: all, after: all };
  const widened = (set: CharSet) => none.union(set.ranges);

  let looksBack = false;
  const places: CharSet[] = [];
  const steps: { from: number; to: number; gap: Gap }[] = [];
  const join = (one: Gap, other: Gap): Gap => ({
    before: one.before.intersect(other.before),
    after: one.after.intersect(other.after),
  });
  const isPossible = ({ before, after }: Gap) => !before.isEmpty && !after.isEmpty;
  const link = (from: Entry[], to: Entry[]): void => {
    for (const one of from)
      for (const other of to) {
        const gap = join(one.gap, other.gap);
        if (isPossible(gap)) steps.push({ from: one.place, to: other.place, gap });
      }
  };
  const across = (entries: Entry[], gaps: Gap[]): Entry[] =>
    gaps.flatMap((gap) => entries.map((entry) => ({ place: entry.place, gap: join(entry.gap, gap) })));

  function letterOf(set: CharSet): Part {
    const entry = { place: places.push(set) - 1, gap: anywhere };
    return { first: [entry], last: [entry], empty: [] };
  }

  function inTurn(one: Part, other: Part): Part {
    link(one.last, other.first);
    return {
      first: [...one.first, ...across(other.first, one.empty)],
      last: [...across(one.last, other.empty), ...other.last],
      empty: one.empty
        .flatMap((gap) => other.empty.map((next) => join(gap, next)))
        .filter(isPossible)
        .slice(0, MOST_EMPTY),
    };
  }

  const nothing = (): Part => ({ first: [], last: [], empty: [anywhere] });
  const sequence = ({ elements }: Concatenation): Part => elements.map(partOf).reduce(inTurn, nothing());

  function anyOf(alternatives: readonly Concatenation[]): Part {
    const parts = alternatives.map(sequence);
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      empty: parts.flatMap(({ empty }) => empty).slice(0, MOST_EMPTY),
    };
  }

  function repeated({ alternatives, min, max }: Quantifier): Part {
    const isEndless = max > UNBOUNDED;
    const most = holdsEndless(alternatives) ? COPIES : EXACT;
    const required = Math.min(min, most);
    let part = nothing();
    for (let copy = 0; copy < required; copy++) {
      const last = anyOf(alternatives);
      if (isEndless && copy === required - 1) link(last.last, last.first);
      part = inTurn(part, last);
    }
    if (isEndless && required > 0) return part;
    const optional = isEndless ? 1 : Math.min(max, most) - required;
    // x{0,3} is (x(x(x)?)?)?: of each copy there is one way to be left out.
    let rest = nothing();
    for (let copy = 0; copy < optional; copy++) {
      const one = anyOf(alternatives);
      if (isEndless) link(one.last, one.first);
      const whole = inTurn({ ...one, empty: [] }, rest);
      rest = { ...whole, empty: [anywhere] };
    }
    return inTurn(part, rest);
  }

  function asserted(kind: "ahead" | "behind", negate: boolean, alternatives: readonly Concatenation[]): Part {
    const set = singleLetter(alternatives);
    if (set) {
      const wanted = negate ? all.without(widened(set)) : widened(set);
      const gap = kind === "ahead" ? { before: all, after: wanted } : { before: wanted, after: all };
      return { first: [], last: [], empty: [gap] };
    }
    if (kind === "behind") {
      looksBack ||= holdsEndless(alternatives);
      return nothing();
    }
    return { first: anyOf(alternatives).first, last: [], empty: [anywhere] };
  }

  function partOf(element: Element): Part {
    switch (element.type) {
      case "CharacterClass":
        return letterOf(widened(element.characters));
      case "Alternation":
        return anyOf(element.alternatives);
      case "Quantifier":
        return repeated(element);
      case "Assertion":
        return asserted(element.kind, element.negate, element.alternatives);
      case "Unknown": {
        // What a group has read, which may be anything.
        const any = letterOf(letter);
        link(any.last, any.first);
        // It may also be what does not follow.
        return { ...any, empty: [{ before: all, after: all.without({ min: 0, max: 0 }) }] };
      }
    }
  }

  const whole = anyOf(expression.alternatives);
  if (!flags.includes("y")) {
    const skip = letterOf(letter);
    link(skip.last, [...skip.first, ...whole.first]);
    whole.first.push(...skip.first);
  }
  const start = places.push(CharSet.fromCharacter(edge, edge)) - 1;
  link([{ place: start, gap: anywhere }], whole.first);
  const ends = [...whole.last, ...whole.empty.map((gap) => ({ place: start, gap }))];

  const base = new CharBase([
    ...places,
    ...[...steps, ...ends].flatMap(({ gap }) => [gap.before, gap.after]),
    letter,
  ]);
  const kindsOf = memo((set: CharSet) => base.split(set));
  const states: State[] = [];
  const statesAt = places.map((set) =>
    kindsOf(set).map((kind) => states.push({ letter: kind, next: new Map(), ends: new Set() }) - 1),
  );
  for (const { from, to, gap } of steps) {
    const [before, after] = [new Set(kindsOf(gap.before)), new Set(kindsOf(gap.after))];
    const targets = statesAt[to]!.filter((target) => after.has(states[target]!.letter));
    for (const one of statesAt[from]!) {
      if (!before.has(states[one]!.letter)) continue;
      const { next } = states[one]!;
      for (const target of targets) next.set(target, (next.get(target) ?? 0) + 1);
    }
  }
  for (const { place, gap } of ends) {
    const before = new Set(kindsOf(gap.before));
    for (const one of statesAt[place]!)
      if (before.has(states[one]!.letter)) for (const kind of kindsOf(gap.after)) states[one]!.ends.add(kind);
  }
  return { start: statesAt[start]![0]!, states, letters: base.sets.map(readable), looksBack };
}

/** The set of a part that is always one letter; null where it may be more or none. */
function singleLetter(alternatives: readonly Concatenation[]): CharSet | null {
  let all: CharSet | null = null;
  for (const { elements } of alternatives) {
    const [only] = elements;
    if (elements.length !== 1 || !only) return null;
    const set =
      only.type === "CharacterClass"
        ? only.characters
        : only.type === "Alternation"
          ? singleLetter(only.alternatives)
          : null;
    if (!set) return null;
    all = all ? all.union(set) : set;
  }
  return all;
}

const holdsEndless = (alternatives: readonly Concatenation[]): boolean =>
  alternatives.some(({ elements }) =>
    elements.some(
      (one) =>
        one.type === "Unknown" ||
        (one.type === "Quantifier" && one.max > UNBOUNDED) ||
        ("alternatives" in one && holdsEndless(one.alternatives)),
    ),
  );

/** The same function, which computes each value once. */
export function memo<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

/** A letter of a set, one that can be read where there is one. */
function readable(set: CharSet): string {
  for (const code of [97, 48, 32]) if (set.has(code)) return String.fromCodePoint(code);
  const range = set.ranges.find(({ min, max }) => max >= 33 && min < 127) ?? set.ranges[0]!;
  const code = Math.max(range.min, Math.min(33, range.max));
  return code > 0x10_ffff ? "" : String.fromCodePoint(code);
}
