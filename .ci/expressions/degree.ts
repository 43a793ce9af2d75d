import { type Automaton, automatonOf, memo } from "./automaton.ts";
import { withoutReferences } from "./references.ts";

/** How the time of a search grows with its text. */
export interface Verdict {
  /** 1 where it grows with the text's length, 2 with its square, and so on; `Infinity` where each letter doubles it. */
  degree: number;
  /** What to repeat in a text for it; "" where the degree is 1. */
  pump: string;
}

/** What is larger than this is not judged. */
const MOST_STEPS = 30_000_000;

/** An expression that is too large to be judged. */
export class UndecidedError extends Error {}

/**
 * Judges a regular expression by the loops of its automaton, after Weber and Seidl, “On the degree of ambiguity of finite
 * automata” (1991): a loop that can be gone through in two ways doubles the ways with each round, and a text that
 * can be divided between two loops in a row has as many ways as letters. Ways count only where the search may still
 * fail: the first one that leads to a match is the last one tried.
 * @throws SyntaxError
 * @throws UndecidedError
 */
export function judge(source: string, flags: string): Verdict {
  return withoutReferences(source, flags)
    .map((one) => judgeOne(one, flags))
    .reduce((worst, one) => (one.degree > worst.degree ? one : worst));
}

function judgeOne(source: string, flags: string): Verdict {
  const automaton = automatonOf(source, flags);
  if (automaton.looksBack) return { degree: 2, pump: "" };
  const { states, letters } = automaton;
  const loopOf = loopsOf(automaton);
  const all = createCrowds(automaton);
  const reaches = reachOf(automaton);
  const loops = new Map<number, number[]>();
  for (const [state, loop] of loopOf.entries())
    if (loop !== null) loops.set(loop, [...(loops.get(loop) ?? []), state]);
  let steps = 0;
  const after = memo((state: number) => {
    const byLetter = letters.map((): number[] => []);
    for (const to of states[state]!.next.keys()) byLetter[states[to]!.letter]!.push(to);
    return byLetter;
  });
  const around = memo((state: number) =>
    after(state).map((all) => all.filter((to) => loopOf[to] === loopOf[state])),
  );

  /** The shortest text that leads from one tuple of states, the last of which is a crowd, to another; null where there is none. */
  function search(
    from: number[],
    next: (at: number[], letter: number) => number[][],
    isEnd: (at: number[]) => boolean,
  ) {
    const keyOf = (at: number[]) => at.reduce((key, one) => key * states.length + one, 0);
    const known = new Set([keyOf(from)]);
    const queue = [{ at: from, text: "" }];
    for (const { at, text } of queue)
      for (const letter of letters.keys())
        for (const to of next(at, letter)) {
          steps += 1;
          if (steps > MOST_STEPS) throw new UndecidedError("It is too large to be judged.");
          if (isEnd(to)) return text + letters[letter];
          const key = keyOf(to);
          if (known.has(key)) continue;
          known.add(key);
          queue.push({ at: to, text: text + letters[letter] });
        }
    return null;
  }

  /** The letters of a round in which a loop may be gone through in two ways. */
  function doubled(members: number[], crowds: Crowds): string | null {
    for (const from of members) {
      const crowd = crowds.of([from]);
      if (crowd === null) continue;
      // Two ways of one text, with whether they have parted.
      const found = search(
        [crowd, from, from, 0],
        ([crowd, one, other, parted], letter) => {
          const ones = around(one!)[letter]!;
          const led = ones.length === 0 ? null : crowds.after(crowd!, letter);
          if (led === null) return [];
          return ones.flatMap((to) =>
            around(other!)[letter]!.map((beside) => {
              const isTwofold = one === other && to === beside && states[one!]!.next.get(to)! > 1;
              return [led, to, beside, parted === 1 || to !== beside || isTwofold ? 1 : 0];
            }),
          );
        },
        ([, one, other, parted]) => one === from && other === from && parted === 1,
      );
      if (found !== null) return found;
    }
    return null;
  }

  /** The letters that lead from a loop around to itself, from it to another one, and around in that. */
  function divided(members: number[], others: number[], crowds: Crowds): string | null {
    for (const from of members)
      for (const to of others) {
        if (states[from]!.letter !== states[to]!.letter) continue;
        const crowd = crowds.of([from, to]);
        if (crowd === null) continue;
        const found = search(
          [crowd, from, from, to],
          ([crowd, first, between, last], letter) => {
            const firsts = around(first!)[letter]!;
            const lasts = around(last!)[letter]!;
            const led = firsts.length === 0 || lasts.length === 0 ? null : crowds.after(crowd!, letter);
            if (led === null) return [];
            const middles = after(between!)[letter]!.filter((one) => reaches(one, to));
            return firsts.flatMap((one) =>
              middles.flatMap((middle) => lasts.map((end) => [led, one, middle, end])),
            );
          },
          ([, first, between, last]) => first === from && between === to && last === to,
        );
        if (found !== null) return found;
      }
    return null;
  }

  for (const members of loops.values()) {
    const pump = doubled(members, UNWATCHED) && doubled(members, all);
    if (pump !== null) return { degree: Infinity, pump };
  }
  // Loops are numbered from the last to the first.
  const worst = new Map<number, Verdict>();
  let verdict: Verdict = { degree: 1, pump: "" };
  for (const [loop, members] of [...loops].sort(([one], [other]) => one - other)) {
    let own: Verdict = { degree: 1, pump: "" };
    for (const [other, after] of worst) {
      if (after.degree < own.degree || !reaches(members[0]!, loops.get(other)![0]!)) continue;
      const others = loops.get(other)!;
      const pump = divided(members, others, UNWATCHED) && divided(members, others, all);
      if (pump !== null) own = { degree: after.degree + 1, pump };
    }
    worst.set(loop, own);
    if (own.degree > verdict.degree) verdict = own;
  }
  return verdict;
}

/** All states that one text may lead to. Where one of them leads to a match whatever follows, the search ends with it. */
interface Crowds {
  of(states: number[]): number | null;
  after(crowd: number, letter: number): number | null;
}

/** Quicker, and wrong only where a search ends with a match. */
const UNWATCHED: Crowds = { of: () => 0, after: () => 0 };

function createCrowds(automaton: Automaton): Crowds {
  const { states } = automaton;
  const sure = sureOf(automaton);
  const members: number[][] = [];
  const numbers = new Map<string, number>();
  const steps: Map<number, number | null>[] = [];
  function of(given: number[]): number | null {
    if (given.some((state) => sure.has(state))) return null;
    const sorted = [...new Set(given)].sort((one, other) => one - other);
    const key = sorted.join();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    steps.push(new Map());
    numbers.set(key, members.push(sorted) - 1);
    return members.length - 1;
  }
  return {
    of,
    after(crowd, letter) {
      const known = steps[crowd]!.get(letter);
      if (known !== undefined) return known;
      const led = members[crowd]!.flatMap((state) => [...states[state]!.next.keys()]);
      const next = of(led.filter((to) => states[to]!.letter === letter));
      steps[crowd]!.set(letter, next);
      return next;
    },
  };
}

/** Of each state the loop that it is in, by Tarjan's algorithm; null where it is in none. */
function loopsOf({ states }: Automaton): (number | null)[] {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const open = new Set<number>();
  const loops: (number | null)[] = states.map(() => null);
  let found = 0;
  // By hand: a class repeated many times makes an automaton deeper than the stack of calls.
  for (const [root] of states.entries()) {
    if (index.has(root)) continue;
    const calls = [{ state: root, rest: [...states[root]!.next.keys()], isNew: true }];
    while (calls.length > 0) {
      const call = calls.at(-1)!;
      const { state, rest } = call;
      if (call.isNew) {
        index.set(state, index.size);
        low.set(state, index.get(state)!);
        stack.push(state);
        open.add(state);
        call.isNew = false;
      }
      const next = rest.pop();
      if (next !== undefined) {
        if (!index.has(next)) calls.push({ state: next, rest: [...states[next]!.next.keys()], isNew: true });
        else if (open.has(next)) low.set(state, Math.min(low.get(state)!, index.get(next)!));
        continue;
      }
      calls.pop();
      const above = calls.at(-1)?.state;
      if (above !== undefined) low.set(above, Math.min(low.get(above)!, low.get(state)!));
      if (low.get(state) !== index.get(state)) continue;
      const ring = stack.splice(stack.lastIndexOf(state));
      for (const one of ring) open.delete(one);
      if (ring.length > 1 || states[state]!.next.has(state)) {
        for (const one of ring) loops[one] = found;
        found += 1;
      }
    }
  }
  return loops;
}

/** States that lead to a match whatever follows. */
function sureOf({ states, letters }: Automaton): Set<number> {
  const sure = new Set(states.keys());
  for (let before = -1; before !== sure.size; ) {
    before = sure.size;
    for (const state of sure) {
      const { ends, next } = states[state]!;
      const led = new Set([...next.keys()].filter((to) => sure.has(to)).map((to) => states[to]!.letter));
      if (letters.some((_, kind) => !ends.has(kind) && !led.has(kind))) sure.delete(state);
    }
  }
  return sure;
}

function reachOf({ states }: Automaton): (from: number, to: number) => boolean {
  const known = new Map<number, Set<number>>();
  return (from, to) => {
    let reached = known.get(to);
    if (!reached) {
      reached = new Set([to]);
      known.set(to, reached);
      const before = new Map<number, number[]>();
      for (const [state, { next }] of states.entries())
        for (const target of next.keys()) before.set(target, [...(before.get(target) ?? []), state]);
      for (const state of reached) for (const one of before.get(state) ?? []) reached.add(one);
    }
    return reached.has(from);
  };
}
