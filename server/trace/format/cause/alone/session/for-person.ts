import { targetOf } from "../../page/target.ts";
import { lastPartOf, wantedBy } from "../../page/wanted.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";
import { signedInAs, withRole } from "./signed-in-as.ts";

/** What a person works a page by: who may not do it is not offered it. */
const WORKED = new Set(
  "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio combobox textbox searchbox spinbutton slider".split(
    " ",
  ),
);

/** Whether the failed step is about what can be done on a page, and not about what it shows. */
export function isOfControl(evidence: Evidence): boolean {
  const { role, label } = wantedBy(lastPartOf(targetOf(evidence)));
  return label || WORKED.has(role ?? "") || (role === null && evidence.failed.step?.kind === "agent.action");
}

/** For whom a page leaves out what can be done on it, as a clause; empty where passes tell more, or nobody is known. */
export function forPerson(evidence: Evidence): string {
  const person = evidence.passes.length === 0 && isOfControl(evidence) ? signedInAs(evidence) : null;
  return person === null ? "" : `, where ${quoted(person.name, 60)} is signed in${withRole(person)}`;
}
