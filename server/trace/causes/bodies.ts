import { forEachLimited } from "../../../store/blobs/sync.ts";
import { inForms, sayMeant } from "../format/cause/run/meant-answers.ts";
import { askedByBody } from "../format/cause/run/operations.ts";
import type { Exchange, RunFacts } from "../format/cause/run/run-facts.ts";
import type { RunSource } from "./source.ts";
import type { Texts } from "./texts.ts";

const LARGEST_BODY = 64 * 1024;
/** Requests to addresses that may answer everything, of one run. */
const MOST_ASKED = 300;
/** Answers in the forms of frameworks, of one run. */
const MOST_IN_FORMS = 100;
const LARGEST_IN_FORM = 256 * 1024;

/** What was answered and what was sent for it, by the events' numbers; of requests to addresses that may answer everything what was sent. */
export async function readBodies(
  texts: Texts,
  source: RunSource,
  answers: readonly Exchange[],
  { exchanges }: Pick<RunFacts, "exchanges">,
): Promise<Map<number, string>> {
  const wanted = new Map<number, string>();
  for (const { seq, body, requestSeq, requestBody } of answers) {
    if (body !== null) wanted.set(seq, body);
    if (requestBody !== null && requestSeq !== null && requestSeq !== seq)
      wanted.set(requestSeq, requestBody);
  }
  const asked = askedByBody(exchanges).flatMap(({ requestSeq, requestBody }) =>
    requestBody === null || requestSeq === null || wanted.has(requestSeq)
      ? []
      : [[requestSeq, requestBody] as const],
  );
  for (const [seq, body] of asked.slice(-MOST_ASKED)) wanted.set(seq, body);

  const read = new Map<number, string>();
  // Side by side: while the run's own files come to the disk, each waits for its turn.
  await forEachLimited([...wanted], async ([seq, body]) => {
    const text = await texts.read(source, body, LARGEST_BODY);
    if (text !== null) read.set(seq, text);
  });
  return new Map([...wanted.keys()].flatMap((seq) => (read.has(seq) ? [[seq, read.get(seq)!]] : [])));
}

/** Has the answers of a run that are in the forms of frameworks say what they mean: all else takes them for that. */
export async function readMeant(
  texts: Texts,
  source: RunSource,
  { exchanges }: Pick<RunFacts, "exchanges">,
): Promise<void> {
  await forEachLimited(inForms(exchanges).slice(-MOST_IN_FORMS), async (one) => {
    const text = await texts.read(source, one.body!, LARGEST_IN_FORM);
    if (text !== null) sayMeant(one, text);
  });
}
