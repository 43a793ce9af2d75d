/** An answer that is no success, as a person is told of it. */
export interface Refusal {
  message: string;
  /** Tracedeck said it. Else a proxy before it did, or another program at a wrong address, which says nothing of what was sent. */
  isOwn: boolean;
}

/** Reads the body of an answer that is no success. */
export function readRefusal(
  { status, statusText, headers }: Pick<Response, "status" | "statusText" | "headers">,
  text: string,
): Refusal {
  const own = sentenceIn(text);
  if (own !== null) return { message: own, isOwn: true };
  const said = `it answered ${status} ${statusText}`.trim();
  const target = headers.get("location");
  if (status >= 300 && status < 400 && target !== null)
    return { message: `${said} and leads to ${target}`, isOwn: false };
  return { message: status < 500 ? `${said}, as no Tracedeck does` : said, isOwn: false };
}

function sentenceIn(text: string): string | null {
  try {
    const { error, message } = JSON.parse(text) as { error?: unknown; message?: unknown };
    return typeof error === "string" && typeof message === "string" ? message : null;
  } catch {
    // Something that is not Tracedeck answered.
    return null;
  }
}
