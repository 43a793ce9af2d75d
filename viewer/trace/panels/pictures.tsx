import type { JSX } from "preact";
import { ImageDiff } from "../../ui/image-diff.tsx";
import { Section } from "../../ui/parts.tsx";
import { oneLine } from "../../ui/text.ts";
import { attachmentsOf, pictureSets } from "../model/attachments.ts";
import { useModel } from "../model/model.ts";

const LABELS = { left: "Expected", right: "Actual" };

/** The pictures of screenshot assertions among an event's attachments, each set compared. */
export function Pictures({ attachments }: { attachments: unknown }): JSX.Element {
  const { source } = useModel();
  const urlOf = (blob: string | null): string | null => (blob === null ? null : source.blobUrl(blob));
  return (
    <>
      {pictureSets(attachmentsOf(attachments)).map((set) => {
        const [expected, actual, diff] = [urlOf(set.expected), urlOf(set.actual), urlOf(set.diff)];
        const only = actual ?? expected;
        return (
          <Section key={set.name} title={oneLine(set.name, 200)}>
            {expected && actual ? (
              <ImageDiff left={expected} right={actual} diff={diff ?? undefined} labels={LABELS} />
            ) : (
              only && (
                <>
                  <p class="dim">
                    {actual ? "There was no expected picture yet." : "No actual picture was taken."}
                  </p>
                  <img class="shot" src={only} alt={actual ? "Actual" : "Expected"} />
                </>
              )
            )}
          </Section>
        );
      })}
    </>
  );
}
