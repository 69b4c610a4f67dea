/**
 * A body that is made as fast as it is taken. Where making it fails, the connection ends before the body does, so that
 * nobody takes a part for the whole; where the caller goes away, the source is ended.
 */
export function textStream(source: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await source.return(undefined);
    },
  }, { highWaterMark: 1 });
}
