import { useEffect, useState } from "preact/hooks";

const MOVING_MS = 1000;
/** Ages are told in minutes. */
const RESTING_MS = 30_000;

/** The time (epoch ms), which moves on every second while something is under way, and every half minute else. */
export function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const pause = isMoving ? MOVING_MS : RESTING_MS;
    // What was drawn just now is not drawn again.
    setNow((was) => (Date.now() - was < pause ? was : Date.now()));
    const timer = setInterval(() => setNow(Date.now()), pause);
    return () => clearInterval(timer);
  }, [isMoving]);
  return now;
}
