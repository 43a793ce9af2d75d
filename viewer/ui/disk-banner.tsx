import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { DiskAnswer } from "../../server/trace/storage/model.ts";
import { api } from "../api/calls.ts";
import { isAbort } from "../api/request.ts";
import { formatBytes, plural } from "./format.ts";
import { Warning } from "./icons.tsx";

/** What is further off is no reason for a warning. */
const YEAR = 365;
const LOOK_MS = 5 * 60_000;

const disk = signal<DiskAnswer | null>(null);

/** How long the disk lasts, in words. */
export function lastsFor({ full_in_days: days, basis_days: basis }: DiskAnswer): string {
  if (days === null) return "";
  const pace = `at the pace of the last ${basis === 1 ? "day" : `${basis} days`}`;
  if (days > 3650) return `More than ten years are left ${pace}.`;
  return days === 0 ? `It is full today ${pace}.` : `It is full in ${plural(days, "day")} ${pace}.`;
}

/** Says that the disk is short, while there is still time to do something. */
export function DiskBanner({ isLinked = true }: { isLinked?: boolean }): JSX.Element | null {
  useEffect(() => {
    const controller = new AbortController();
    const look = (): void => {
      api.disk(controller.signal).then(
        (answer) => {
          disk.value = answer;
        },
        (error) => {
          // What the page itself asks for tells why nothing answers; an old warning would be a guess.
          if (!isAbort(error)) disk.value = null;
        },
      );
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, []);
  const known = disk.value;
  if (!known || known.state === "ok") return null;
  const isCritical = known.state === "critical";
  return (
    <div class={`disk-banner${isCritical ? " is-critical" : ""}`} role="status">
      <Warning />
      <span>
        {isCritical ? "The disk is nearly full" : "The disk gets short"}: {formatBytes(known.free_bytes)} of{" "}
        {formatBytes(known.size_bytes)} are free. {(known.full_in_days ?? YEAR) < YEAR && lastsFor(known)}
      </span>
      {isLinked && <a href="/storage">See what can go</a>}
    </div>
  );
}
