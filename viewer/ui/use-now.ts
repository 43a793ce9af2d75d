import { useEffect, useState } from "preact/hooks";

const TICK_MS = 1000;

/** The time, which moves on every second while something is under way. */
export function useNow(isMoving: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!isMoving) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isMoving]);
  return now;
}
