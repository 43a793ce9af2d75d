type Take = (error: unknown) => void;

const takers: Take[] = [];
const tell: Take = (error) => takers.at(-1)?.(error);

/**
 * Gives errors that nothing waited for (uncaught exceptions, unhandled rejections) to `take`, until what is returned is
 * called; whoever asked last has them. Without a taker Bun prints such an error, and does not end a program whose first
 * module is still waiting, as this one's is: what the error came between would be waited for for good.
 */
export function takeFaults(take: Take): () => void {
  if (takers.length === 0) {
    process.on("uncaughtException", tell);
    process.on("unhandledRejection", tell);
  }
  takers.push(take);
  return () => {
    takers.splice(takers.lastIndexOf(take), 1);
    if (takers.length > 0) return;
    process.off("uncaughtException", tell);
    process.off("unhandledRejection", tell);
  };
}
