import type { JSX } from "preact";
import { useKeys } from "../ui/keyboard.ts";
import { LiveDot } from "../ui/status.tsx";
import { type TraceModel, useModel } from "./model/model.ts";

function toggleFollowing(model: TraceModel): boolean {
  if (!model.loader.isLive.peek()) return false;
  if (model.isFollowing.peek()) model.stopFollowing();
  else model.follow();
  return true;
}

/** Says that events still arrive, and whether the newest step is followed: a press stops or begins that. */
export function Follow(): JSX.Element | null {
  const model = useModel();
  useKeys([
    {
      keys: ["t f"],
      label: "Follow the newest step of a running trace, or stay",
      group: "Timeline",
      run: () => toggleFollowing(model),
    },
  ]);
  if (!model.loader.isLive.value) return null;
  const isFollowing = model.isFollowing.value;
  return (
    <>
      <LiveDot label={model.loader.isConnected.value ? "Live" : "Reconnecting"} />
      <button
        type="button"
        class="button follow"
        aria-pressed={isFollowing}
        title={isFollowing ? "Stay at this step ( t f )" : "Go to the newest step and follow ( t f )"}
        onClick={() => toggleFollowing(model)}
      >
        Follow
      </button>
    </>
  );
}
