/** 0..1 by the pairs of letters that two names share, and by shared words (Sørensen–Dice). */
export function similarity(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()].map((text) =>
    text.replace(/[^\p{L}\p{N}]+/gu, " ").trim(),
  ) as [string, string];
  if (a === "" || b === "") return 0;
  if (a === b) return 1;
  return Math.max(dice(pairs(a), pairs(b)), 0.95 * dice(a.split(" "), b.split(" ")));
}

const pairs = (text: string) =>
  Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));

function dice(a: string[], b: string[]): number {
  const left = [...b];
  const shared = a.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  }).length;
  return (2 * shared) / (a.length + b.length);
}
