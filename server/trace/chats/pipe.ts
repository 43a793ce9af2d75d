/** Messages from one who does not wait to one who reads them in order. What is put in is bounded by whoever puts it in. */
export function createPipe<Message>() {
  const waiting: Message[] = [];
  let isOver = false;
  let wake = () => {};
  return {
    put(message: Message): void {
      waiting.push(message);
      wake();
    },
    end(): void {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift()!;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
