import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { FixLine } from "../ui/fix-line.tsx";
import { useModel } from "./model/model.ts";

/** The first screen comes first. */
const IDLE_MS = 500;

/** Under the failure of a run: what the mender made of it. */
export function TraceFix(): JSX.Element | null {
  const { source, detail, loader } = useModel();
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(true), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  const of = detail.value;
  if (!isIdle || source.isShared || loader.isLive.value || of?.run_id == null) return null;
  return <FixLine scenario={of.scenario_id} signature={of.failure_signature} />;
}
