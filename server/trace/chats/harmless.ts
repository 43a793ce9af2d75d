/** A word that is longer than any of a language: it is broken, so that nothing can hide its end. */
const LONGEST_WORD = 2_000;

/** What an answer may point to: a step by its number, an event by its seq, a moment in milliseconds from the beginning. */
const OWN_LINK = /^\((?:step|event|moment):\d{1,15}\)/;

/**
 * Text of an answer in which nothing can leave the trace, whatever shows it as markdown: images, links to anywhere but the
 * trace itself, references of links, HTML and addresses become plain words. A page can tell a model to write an address that
 * carries what it read; no reader's program is to fetch that, nor a click.
 */
export function harmless(text: string): string {
  // First what is taken away, which lets its neighbours touch; then only spaces are put in.
  const plain = withoutSchemes(text).replace(/!(?=\[)/g, "! ");
  return plain
    .replace(/\](?=\()/g, (bracket, at: number) =>
      OWN_LINK.test(plain.slice(at + 1, at + 40)) ? bracket : "] ",
    )
    .replace(/\](?=\[|:)/g, "] ")
    .replace(/<(?=[a-z/!?])/gi, "< ")
    .replace(/(www)\\?\.(?=\S)/gi, "$1 .")
    .replace(/(mailto|xmpp|javascript|data|vbscript)(?=\\?:)/gi, "$1 ")
    .replace(/\\?@(?=[\w-]+\\?\.[a-z])/gi, " @ ");
}

const SCHEME = /[a-z][a-z0-9+.-]{0,30}\\?:(?:\\?\/){2,}/gi;

/** What stands around a scheme may be another once it is gone. */
function withoutSchemes(text: string): string {
  let left = text;
  for (let before = ""; before !== left; ) {
    before = left;
    left = left.replace(SCHEME, "");
  }
  return left;
}

/** The same for text that comes in pieces: a word goes out when it is whole. */
export function createHarmless(say: (text: string) => void) {
  let waiting = "";
  return {
    take(piece: string): void {
      waiting += piece;
      const end = waiting.search(/\s\S*$/) + 1;
      if (end > 0) {
        say(harmless(waiting.slice(0, end)));
        waiting = waiting.slice(end);
      }
      while (waiting.length > LONGEST_WORD) {
        say(`${harmless(waiting.slice(0, LONGEST_WORD))} `);
        waiting = waiting.slice(LONGEST_WORD);
      }
    },
    end(): void {
      if (waiting !== "") say(harmless(waiting));
      waiting = "";
    },
  };
}
