import { wrongOf } from "../../detectors/elements/wrong.ts";
import { formOf } from "../../exchanges/socket-forms.ts";
import type { Exchange, SocketFrame } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, addressOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { holds } from "../requests/sought.ts";

const MOST = 60;
const MOST_SOCKETS = 20;
const SHORTEST = 3;
const ID = /(?:^|\.)(?:id|\w*Id|\w*_id|uuid)$/;

/** A thing that a WebSocket told of by its id, and that the page goes on showing as an answer before had it. */
export function detectUnheard(evidence: Evidence): Finding[] {
  const { run } = evidence;
  if (run.facts.heard.size === 0) return [];
  const wrong = wrongOf(evidence);
  if (!run.page || !wrong?.isRead || wrong.isCount || wrong.got.length < SHORTEST) return [];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const id = idBeside(evidence, one, wrong.got);
    const heard = id === null ? null : toldOf(evidence, one, { id, got: wrong.got });
    if (id === null || heard === null) continue;
    return [
      {
        kind: "answer_changed",
        title: `The WebSocket ${addressOf(heard.socket.url, run.facts)} brought a message of ${heard.name} for ${quoted(id, 40)}, and the page still shows what ${requestOf(one, run.facts)} had answered before (${quoted(wrong.got, 60)}): the test wants ${quoted(wrong.want, 60)}`,
        detail: null,
        step_id: heard.frame.step_id,
        events: [heard.frame.seq, one.seq, run.page.shot.seq],
        ts: heard.frame.ts,
        is_new: null,
        weight: 0.92,
        about: aboutUrl(heard.socket.url, run.facts),
      },
    ];
  }
  return [];
}

/** The id of the thing that an answer has that value of. */
function idBeside({ run: { bodies } }: Evidence, one: Exchange, got: string): string | null {
  const leaves = leavesOf(jsonOf(bodyOf(one, bodies) ?? ""));
  const shown = leaves.find(
    ({ value }) => typeof value === "string" && value.toLowerCase() === got.toLowerCase(),
  );
  const within = shown?.path.slice(0, shown.path.lastIndexOf(".") + 1);
  const id = leaves.find(({ path }) => path === `${within}id`)?.value;
  return id === undefined || id === null ? null : String(id);
}

/** The last message about that id since, where it does not say the same. */
function toldOf(
  { run, failed }: Evidence,
  { end, ts }: Exchange,
  { id, got }: { id: string; got: string },
): { socket: Exchange; frame: SocketFrame; name: string } | null {
  const { facts } = run;
  for (const socket of lastOf(facts.exchanges, MOST_SOCKETS, ({ type }) => type === "websocket")) {
    const said = (socket.request_id === null ? undefined : facts.heard.get(socket.request_id))?.said ?? [];
    for (const frame of said.toReversed()) {
      if (frame.ts <= (end ?? ts) || frame.ts > Math.min(failed.to, run.page!.shot.ts)) continue;
      const form = formOf(frame).find(
        ({ name, value }) =>
          name !== "" && leavesOf(value).some((leaf) => ID.test(leaf.path) && String(leaf.value) === id),
      );
      if (form) return holds(frame.text, got) ? null : { socket, frame, name: form.name };
    }
  }
  return null;
}
