import { explained, type Rule } from "./rule.ts";

/** A page that shows one part of a list in the place of another had both: what else was answered otherwise has not done that. */
const besideReplaced: Rule = ({ kind, is_new }, { news }) =>
  kind === "answer_changed" && is_new === true && news.some((one) => one.about?.startsWith("replaced "))
    ? explained
    : null;

/** What stands beside a list whose parts replace each other. */
export const REPLACED: readonly Rule[] = [besideReplaced];
