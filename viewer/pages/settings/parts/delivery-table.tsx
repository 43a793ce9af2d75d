import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { tellFailure } from "../../../ui/failing.ts";
import { Failed, Loading } from "../../../ui/message.tsx";
import { SettingsSection } from "../../../ui/settings-page.tsx";
import { oneLine } from "../../../ui/text.ts";
import { useLoad } from "../../../ui/use-load.ts";

const SHOWN = 50;
/** How soon what waits is asked for again. */
const LOOK_MS = 2000;

interface DeliverySectionProps<Delivery> {
  title: string;
  about: (shown: number) => string;
  /** Of the table, and of what was loaded. */
  name: string;
  columns: readonly string[];
  load: (query: { limit: number }, signal: AbortSignal) => Promise<{ items: Delivery[] }>;
  isWaiting: (delivery: Delivery) => boolean;
  /** One row, with a cell for what may be done. @param onReplayed has the list looked at again */
  row: (delivery: Delivery, onReplayed: () => void) => JSX.Element;
  /** Grows when there is news. */
  revision?: number;
}

/** The newest messages that came or went, with what became of them; it is looked at again while one waits. */
export function DeliverySection<Delivery>(props: DeliverySectionProps<Delivery>): JSX.Element {
  const { title, about, name, columns, load, isWaiting, row, revision = 0 } = props;
  const own = useSignal(0);
  const { data, error } = useLoad(
    name,
    async (signal) => {
      const page = await load({ limit: SHOWN }, signal);
      if (page.items.some(isWaiting)) setTimeout(() => !signal.aborted && own.value++, LOOK_MS);
      return page;
    },
    revision + own.value,
  );
  const look = (): void => void own.value++;
  return (
    <SettingsSection title={title} about={about(SHOWN)}>
      {error ? (
        <Failed error={error} retry={look} />
      ) : !data ? (
        <Loading />
      ) : data.items.length === 0 ? (
        <p class="dim">Nothing yet.</p>
      ) : (
        <div class="settings-scroll">
          <table class="settings-table" aria-label={name}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
                <th scope="col">
                  <span class="hidden-text">Act</span>
                </th>
              </tr>
            </thead>
            <tbody>{data.items.map((delivery) => row(delivery, look))}</tbody>
          </table>
        </div>
      )}
    </SettingsSection>
  );
}

/** What went wrong so far, below the title of a delivery. */
export function Tries({ attempts, error }: { attempts: number; error: string }): JSX.Element {
  return (
    <span class="settings-note is-failed captured">
      {attempts} {attempts === 1 ? "try" : "tries"}: {oneLine(error, 300)}
    </span>
  );
}

interface AgainProps {
  /** What the button does, and to which delivery. */
  word: string;
  title: string;
  replay: () => Promise<unknown>;
  onReplayed: () => void;
}

/** The button that has a delivery go its way once more. */
export function Again({ word, title, replay, onReplayed }: AgainProps): JSX.Element {
  return (
    <button
      type="button"
      class="button"
      aria-label={`${word}: ${title}`}
      onClick={() => void replay().then(onReplayed, tellFailure)}
    >
      {word}
    </button>
  );
}
