import { LOOKED_AT } from "../detectors/elements/columns.ts";
import type { Finding } from "../types.ts";
import type { Scene } from "./scene.ts";
import { OF_DEED } from "./words.ts";

/** What stands in the place of an element by its form alone came there by an answer that says it; without one it says most itself. */
export const isPlaced = ({ about }: Finding, { news }: Scene): boolean =>
  about?.startsWith("place ") === true &&
  !news.some((one) => one.kind === "answer_changed" && one.title.includes(about.slice(6)));

/** Whether it is no symptom of an answer: an element in another's place, a cell of another column, an action without effect or on another thing, what a reload lost or the page sent. */
export const isOwnCause = (finding: Finding, scene: Scene): boolean =>
  finding.isSortedAsText === true ||
  OF_DEED.test(finding.about ?? "") ||
  isOfColumn(finding) ||
  isPlaced(finding, scene);

/** Whether a cell that the step goes by is one of another column. */
const isOfColumn = ({ about, title }: Finding): boolean =>
  about?.startsWith("columns ") === true && title.includes(LOOKED_AT);
