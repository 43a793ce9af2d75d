import { askedEmpty } from "./asked-empty.ts";
import { atNoValue } from "./at-no-value.ts";
import { hadAlready } from "./had-already.ts";
import { metByChange } from "./met-by-change.ts";
import type { Rule } from "./rule.ts";
import { withoutVersion } from "./unexposed.ts";

/** What is told with more that the run says of it: the change that met it, its question, what was there before, the page's address. */
export const TOLD_WITH: readonly Rule[] = [metByChange, askedEmpty, hadAlready, atNoValue, withoutVersion];
