import { isRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { RunEvidence } from "../../types.ts";
import { pathOf, SIGN_IN } from "../../words.ts";

/** Whether a request asks to sign somebody in: by its address, or by its operation where one address answers everything. */
export const asksToSignIn = (one: Exchange, run: RunEvidence): boolean =>
  one.method === "POST" &&
  (SIGN_IN.test(pathOf(one.url)) || (OPERATION.test(one.operation ?? "") && !isRead(one, run)));

const OPERATION = /(?:log|sign)_?in(?![a-z])|authenticate|create_?session/i;
