/** How well a text fits what was typed, and which of its characters do. */
export interface Match {
  score: number;
  positions: readonly number[];
}

const START = 8;
const NEXT = 6;
const GAP = 0.2;

const isStart = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? "");

/**
 * Fits typed characters onto a text in their order, in either case: best where words begin and where they stand side by
 * side. Null when they do not all occur. Spaces only part words.
 */
export function fuzzyMatch(typed: string, text: string): Match | null {
  const wanted = typed.toLowerCase().replace(/\s+/g, "");
  const lower = text.toLowerCase();
  if (wanted.length > lower.length) return null;
  if (wanted === "") return { score: 0, positions: [] };
  // Per typed character and place in the text: the best score so far, and the place of the character before it.
  const from: number[][] = [];
  let scores: number[] = [];
  for (let index = 0; index < wanted.length; index++) {
    const before = scores;
    scores = new Array<number>(lower.length).fill(Number.NEGATIVE_INFINITY);
    const chosen = new Array<number>(lower.length).fill(-1);
    for (let at = index; at < lower.length; at++) {
      if (lower[at] !== wanted[index]) continue;
      const own = 1 + (isStart(lower, at) ? START : 0);
      if (index === 0) scores[at] = own;
      for (let last = index - 1; index > 0 && last < at; last++) {
        const score = (before[last] ?? 0) + own + (last === at - 1 ? NEXT : (last - at) * GAP);
        if (score > (scores[at] ?? 0)) [scores[at], chosen[at]] = [score, last];
      }
    }
    from.push(chosen);
  }
  let at = scores.reduce((best, score, place) => (score > (scores[best] ?? 0) ? place : best), 0);
  const score = scores[at] ?? Number.NEGATIVE_INFINITY;
  if (score === Number.NEGATIVE_INFINITY) return null;
  const positions: number[] = [];
  for (const chosen of from.toReversed()) {
    positions.unshift(at);
    at = chosen[at] ?? -1;
  }
  // Of labels that fit alike the shorter one.
  return { score: score - lower.length * 0.01, positions };
}
