import { marked, type Token, type Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { type Place, readPlace } from "./go.ts";

/** How an answer's links lead on. */
export interface Ways {
  go: (place: Place) => void;
  addressOf: (place: Place) => string;
}

interface AnswerProps {
  text: string;
  go: Ways;
}

/** Entities that the reader of markdown leaves in texts of code. */
const plain = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/**
 * An answer's markdown as elements of our own making: whatever it has that is not named here is shown as the text that it
 * is. No image, no HTML, no link but to a place of this trace.
 */
export function Answer({ text, go }: AnswerProps): JSX.Element {
  return <div class="ask-text captured">{blocks(marked.lexer(text, { gfm: true }), go)}</div>;
}

type Go = Ways;

function blocks(tokens: readonly Token[], go: Go): ComponentChildren {
  return tokens.map((token, key) => <Block key={key} token={token as Tokens.Generic} go={go} />);
}

function Block({ token, go }: { token: Tokens.Generic; go: Go }): JSX.Element | null {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <h3>{inline(token.tokens, go)}</h3>;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a pointer
        <pre tabIndex={0}>
          <code>{token.text as string}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token.tokens ?? [], go)}</blockquote>;
    case "hr":
      return <hr />;
    case "list": {
      const { items, ordered, start } = token as unknown as Tokens.List;
      const rows = items.map((item, key) => <li key={key}>{blocks(item.tokens, go)}</li>);
      return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
    }
    case "text":
      return <span>{token.tokens ? inline(token.tokens, go) : plain(token.text as string)}</span>;
    case "paragraph":
      return <p>{inline(token.tokens, go)}</p>;
    default:
      return <p>{token.raw}</p>;
  }
}

function inline(tokens: readonly Token[] | undefined, go: Go): ComponentChildren {
  return (tokens ?? []).map((token, key) => <Inline key={key} token={token as Tokens.Generic} go={go} />);
}

function Inline({ token, go }: { token: Tokens.Generic; go: Go }): JSX.Element {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens, go)}</strong>;
    case "em":
      return <em>{inline(token.tokens, go)}</em>;
    case "codespan":
      return <code>{plain(token.text as string)}</code>;
    case "br":
      return <br />;
    case "escape":
      return <>{plain(token.text as string)}</>;
    case "text":
      return <>{token.tokens ? inline(token.tokens, go) : plain(token.text as string)}</>;
    case "link": {
      const place = readPlace(token.href as string);
      if (!place) return <>{token.raw}</>;
      return (
        <a
          href={go.addressOf(place)}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            event.stopPropagation();
            go.go(place);
          }}
        >
          {inline(token.tokens, go)}
        </a>
      );
    }
    default:
      return <>{token.raw}</>;
  }
}
