/**
 * Does a part of the engine's work. What a recording holds may be odder than a part expects, and what it throws then must not cost what
 * the other parts find.
 * @returns `otherwise` when the part throws
 */
export type Attempt = <Result>(work: () => Result, otherwise: Result) => Result;

/** @param onFault told what a part throws */
export function attemptTelling(onFault: (error: unknown) => void): Attempt {
  return (work, otherwise) => {
    try {
      return work();
    } catch (error) {
      onFault(error);
      return otherwise;
    }
  };
}

/** What a part throws is thrown. */
export const plainly: Attempt = (work) => work();
