import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Message } from "../ui/message.tsx";

export function NotFoundPage(): JSX.Element {
  useEffect(() => {
    document.title = "Not found · Tracedeck";
  }, []);
  return (
    <main class="page-centre">
      <h1 class="hidden-text">Not found</h1>
      <Message title="There is nothing at this address.">
        <a href="/traces">All traces</a>
      </Message>
    </main>
  );
}
