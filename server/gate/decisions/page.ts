import type { GateRow } from "../../../store/records/gates.ts";
import { CONSENT_STYLE_PATH } from "../../http/consent-style.ts";
import { escapeHtml, formPolicy, framedPage } from "../../http/pages.ts";
import type { DecisionAct } from "./links.ts";

/** The page that says what a link decides: nothing happens before its button is pressed, since link previews open it too. */
export function decisionPage(gate: GateRow, act: DecisionAct, token: string): Response {
  const found =
    gate.pull_request_id === null
      ? `/gates/${gate.id}`
      : `/pull-requests/${gate.pull_request_id}?gate=${gate.id}`;
  const verb = act === "approve" ? "Approve" : "Reject";
  const what = subject(gate);
  return page(200, `${verb} ${what}?`, [
    `<p>Commit <code>${escapeHtml(gate.head_sha.slice(0, 12))}</code> of ${escapeHtml(gate.repository)}. ${escapeHtml(gate.reason ?? "")} <a href="${found}">See what was found</a></p>`,
    `<p class="dim">${act === "approve" ? "The check turns to success, whatever the scenarios found." : "The check turns to failure, whatever the scenarios found."} The decision stands for this commit, and it is written down.</p>`,
    `<form method="post" action="/v1/gate/decision?token=${encodeURIComponent(token)}">`,
    `<div class="actions"><button type="submit" class="primary">${verb}</button></div>`,
    "</form>",
  ]);
}

/** What was decided. */
export function decidedPage(gate: GateRow): Response {
  const done = gate.decision === "approved" ? "Approved" : "Rejected";
  return page(200, `${done}: ${subject(gate)}`, [
    `<p>The check of <code>${escapeHtml(gate.head_sha.slice(0, 12))}</code> is being turned to ${gate.decision === "approved" ? "success" : "failure"}. Both links are used up.</p>`,
  ]);
}

/** A link that decides nothing (any more). */
export const refusedPage = (status: number, message: string): Response =>
  page(status, status === 409 ? "This link is used up" : "This link does not work", [
    `<p>${escapeHtml(message)}</p>`,
  ]);

const subject = ({ pr_number, head_sha }: GateRow): string =>
  pr_number === null ? `the commit ${head_sha.slice(0, 7)}` : `pull request #${pr_number}`;

function page(status: number, title: string, body: readonly string[]): Response {
  return framedPage({
    ...{ status, title, style: CONSENT_STYLE_PATH, policy: formPolicy() },
    main: [`<h1>${escapeHtml(title)}</h1>`, ...body].join("\n"),
    // The address is a credential: it goes to no other site.
    headers: { "referrer-policy": "same-origin" },
  });
}
