import { isOfControl } from "../alone/session/for-person.ts";
import { asksToSignIn } from "../alone/session/sign-in.ts";
import { signedInAs, withRole } from "../alone/session/signed-in-as.ts";
import { CHANGING } from "../exchanges/sent.ts";
import { targetOf } from "../page/target.ts";
import { lastPartOf, wantedBy } from "../page/wanted.ts";
import { isOneTooMuch } from "../run/one-too-much.ts";
import { isTracker, quoted, requestOf } from "../words.ts";
import { all, atLeast, lessBy, type Rule, say } from "./rule.ts";

/** Without a pass, what a page offers and should not is told with whom it offers that to. */
const offered: Rule = ({ kind, is_new }, { evidence }) => {
  if (kind !== "assertion" || is_new !== null || !isOneTooMuch(evidence) || !isOfControl(evidence))
    return null;
  const person = signedInAs(evidence);
  return person
    ? all(
        say(
          `it is shown to ${quoted(person.name, 60)}, who is signed in${withRole(person)}`,
          ...(person.seq === null ? [] : [person.seq]),
        ),
        atLeast(0.3),
      )
    : null;
};

/** Without a pass, as many things as the test met of what goes by one name and is worked with are no list of an answer's. */
const countedControl: Rule = ({ kind, is_new, title }, { evidence }) =>
  kind === "answer_changed" &&
  is_new === null &&
  /as many as the test met|came of nothing that this run sent/.test(title) &&
  isOfControl(evidence) &&
  wantedBy(lastPartOf(targetOf(evidence))).name !== null
    ? lessBy(0.3)
    : null;

/** Without a pass, what a sign-in was answered with of its person is so for whom the test signed in. */
const otherPerson: Rule = ({ kind, is_new, shown, events }, { evidence }) => {
  if (kind !== "answer_changed" || is_new !== null || shown === undefined) return null;
  const one = evidence.run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const person = one && asksToSignIn(one, evidence.run) ? signedInAs(evidence) : null;
  return person?.seq === one?.seq && person ? say("the test signed in as that user") : null;
};

const NOT_ALLOWED =
  /\bnot (?:allowed|permitted|authori[sz]ed)\b|\bpermissions?\b|\bforbidden\b|\baccess denied\b/i;

/** Without a pass, a page that says that something is not allowed is told with what was sent for it, and whom it says it to. */
const notAllowed: Rule = ({ kind, is_new, title }, { evidence, settled }) => {
  if (kind !== "page_message" || is_new !== null || !NOT_ALLOWED.test(title)) return null;
  const { run, failed } = evidence;
  const write = run.facts.exchanges.findLast(
    (one) =>
      one.ts >= (settled ?? 0) - 100 &&
      one.ts <= failed.to &&
      one.status !== null &&
      CHANGING.has(one.method) &&
      !isTracker(one.url),
  );
  const person = signedInAs(evidence);
  if (!write && !person) return null;
  const sent = write ? `${requestOf(write, run.facts)} had been answered with ${write.status}` : "";
  const whom = person ? `${quoted(person.name, 60)} is signed in${withRole(person)}` : "";
  return say([sent, whom].filter((one) => one !== "").join(", where "), ...(write ? [write.seq] : []));
};

/** What is so for the one who is signed in. */
export const FOR_PERSON: readonly Rule[] = [offered, countedControl, otherPerson, notAllowed];
