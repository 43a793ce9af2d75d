import type { Finding } from "../types.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";

const isAnswerTo = ({ events }: Finding, repeated: Finding): boolean =>
  repeated.kind === "request_repeated" &&
  repeated.is_new === true &&
  repeated.weight >= 0.75 &&
  repeated.events.includes(events[0]!);

/** Whether it is an answer to a request that was sent once too often, which keeps what was sent twice over. */
export const isToRepeated = (finding: Finding, news: readonly Finding[]): boolean =>
  finding.kind === "answer_changed" && news.some((one) => isAnswerTo(finding, one));

/** What was answered to a request that was sent once too often is not what is wrong: it is told with that. */
export const answersToRepeated: Rule = (finding, { news }) => {
  if (finding.is_new !== true) return null;
  if (finding.kind === "answer_changed") return isToRepeated(finding, news) ? explained : null;
  if (finding.kind !== "request_repeated" || finding.isTwiceEach) return null;
  const answer = news.find(
    (one) =>
      one.kind === "answer_changed" &&
      one.is_new === true &&
      one.weight >= 0.8 &&
      one.isOther === "value" &&
      isAnswerTo(one, finding),
  );
  return answer ? all(because(answer), atLeast(0.95)) : null;
};
